package policy

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// Nobody can see what such a command is, so the user looks at it first, with every character
// spelled out, though the sandbox would hold it.
func TestCommandsThatAreNotAsTheyLookAsk(t *testing.T) {
	for command, says := range map[string]string{
		"echo a":                         "",
		"echo \u00e9 \u8868":             "",
		"echo \u202egnp.exe":             "U+202E",
		"ls\u200b":                       "U+200B",
		"ls \U000e0041":                  "U+E0041",
		"ls\r":                           "carriage return",
		"ls \xff":                        "UTF-8",
		strings.Repeat("$(", 300) + "ls": "nested",
	} {
		dir := t.TempDir()
		d := New(nil, nil).Decide(Call{
			Tool: shellTool, Effect: tools.Runs{Analysis: shellcmd.Analyze(command, dir, []string{dir})},
			Mode: Default, Trusted: true, Asks: true, Shell: Shell{Level: sandbox.Isolated}, Dir: dir, Roots: []string{dir},
		})
		if want := says != ""; (d.Kind == Ask) != want || !strings.Contains(d.Reason, says) || want && len(d.Offers) > 0 {
			t.Errorf("%q: %v, %s, %v", command, d.Kind, d.Reason, d.Offers)
		}
	}
}
