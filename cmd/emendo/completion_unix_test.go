//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
)

// completing returns a world with a session, a server and a file, and a folder with
// this program under the name emendo.
func completing(t *testing.T) (w *world, bin string) {
	t.Helper()
	w = newWorld(t, geminitest.Say("Hello."))
	w.write("notes and more.txt", "")
	w.run("-p", "greet me", "--session-id", "greeting").wantCode(t, exitOK)
	w.exec("mcp", "add", "weather", "true").wantCode(t, exitOK)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin = t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "emendo")); err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "EMENDO_TEST_MAIN=1", "PATH="+langservertest.SearchPath(w.t, bin))
	return w, bin
}

// completions are command lines and their completions.
var completions = []struct {
	line string
	want []string
}{
	{"emendo sess", []string{"sessions"}},
	{"emendo run --approval-mode ", []string{"default", "auto_edit", "plan", "yolo"}},
	{"emendo run --out", []string{"--output-format"}},
	{"emendo run -m gemini-2.5-pr", []string{"gemini-2.5-pro"}},
	{"emendo run -p x --resume gree", []string{"greeting"}},
	{"emendo sessions show ", []string{"greeting"}},
	{"emendo mcp remove w", []string{"weather"}},
	{"emendo sessions import not", []string{"notes and more.txt"}},
}

func TestBashCompletes(t *testing.T) {
	w, _ := completing(t)
	// Bash sets these variables before it calls the completion function.
	const script = `source <(emendo completion bash)
COMP_LINE=$1 COMP_POINT=${#1}
_emendo emendo "" ""
printf '%s\n' "${COMPREPLY[@]}"
complete -p emendo >/dev/null`
	tests := append(slices.Clone(completions), struct {
		line string
		want []string
	}{"emendo run --approval-mode=pl", []string{"plan"}}) // the word after the last of bash's word breaks
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			c := exec.CommandContext(t.Context(), "bash", "--norc", "-c", script, "bash", tt.line)
			c.Dir, c.Env = w.dir, w.env
			out, err := c.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if got := strings.Split(strings.TrimSpace(string(out)), "\n"); !slices.Equal(got, tt.want) {
				t.Errorf("completed with %q, want %q", got, tt.want)
			}
		})
	}
}

// TestBashCompletesWhatIsTyped uses an interactive bash, which calls the function itself.
func TestBashCompletesWhatIsTyped(t *testing.T) {
	w, _ := completing(t)
	const script = `source <(emendo completion bash)
emendo version --js` + "\t" + `
exit
`
	c := exec.CommandContext(t.Context(), "bash", "--norc", "--noprofile", "-i")
	c.Dir, c.Env, c.Stdin = w.dir, append(w.env, "PS1=", "TERM=dumb"), strings.NewReader(script)
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"goVersion":`) {
		t.Errorf("%v: %s", err, out)
	}
}

// The manual has every command, because it is generated from the same table.
func TestManualHasEveryCommand(t *testing.T) {
	w := newWorld(t)
	r := w.exec("man")
	r.wantCode(t, exitOK)
	for _, c := range (process{}).program().Subcommands {
		if !strings.Contains(r.stdout, "emendo "+c.Name) {
			t.Errorf("the page lacks emendo %s", c.Name)
		}
	}
}
