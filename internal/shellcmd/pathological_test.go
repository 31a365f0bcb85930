package shellcmd

import (
	"flag"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/shellcmd/canonical"
)

// longest is the length of the commands that [TestNoCommandLineTakesLong] tries: an eighth of
// the maximum, since the steps, and so the time that the test takes, grow with its square.
var longest = flag.Int("longest", canonical.MaxParsed/8, "how long the commands are that must not take long")

// A long command of the maximum nesting is still analyzed in a bounded number of
// steps: many wrappers do not hide a program.
func TestNoCommandLineTakesLong(t *testing.T) {
	if testing.Short() {
		t.Skip("tries the longest commands")
	}
	// maxSteps is slightly more than a line of wrappers takes, each of which reads all
	// words after it. Another layer would take thousands of times as many.
	maxSteps := *longest * *longest / 16
	fill := func(s, end string) string { return strings.Repeat(s, (*longest-100)/len(s)) + end }
	for name, command := range map[string]string{
		"wrappers":                  fill("env ", "rm x"),
		"wrappers in doubt":         fill("env --x ", "rm x"),
		"wrappers with assignments": fill("env A=b ", "rm x"),
		"eval of eval":              fill("eval ", "rm x"),
		"searches that search":      fill("find -exec ", "rm x"),
		"searches one after other":  fill("find -exec rm \\; ", ""),
		"containers":                fill("docker run ", "rm x"),
		"lists":                     fill("ls;", "rm x"),
		"pipes":                     fill("a|", "rm x"),
		"conditions":                fill("ls && cd a || ", "rm x"),
		"folders":                   fill("cd a; ", "rm x"),
		"timed":                     fill("time ", "rm x"),
		"options":                   "git log " + fill("-p ", "; rm x"),
		"packages":                  fill("npx ", "rm x"),
		"rebases":                   fill("git rebase -x ", "rm"),
		"bisections":                fill("git bisect run ", "rm x"),
		"wildcards":                 "rm " + fill("* ", ""),
		"submodules":                fill("git submodule foreach ", "rm x"),
		"ssh":                       fill("ssh h ", "rm x"),
	} {
		t.Run(name, func(t *testing.T) {
			r, steps := analyze("linux", command, "/w", []string{"/w"})
			if decided(r, nil, []string{"rm"}) != "deny" {
				t.Errorf("rm is not found in %.60q: %s", command, r.Why)
			}
			if steps > maxSteps {
				t.Errorf("it took %d steps for %d bytes, want at most %d", steps, len(command), maxSteps)
			}
		})
	}
}
