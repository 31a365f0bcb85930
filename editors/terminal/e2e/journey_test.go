//go:build editors

package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

// program is the example.
func program() string {
	return filepath.Join(machine.Repository, "editors/terminal/emendo_terminal.py")
}

// start starts the example in a terminal, in a project with fee.py.
func start(t *testing.T, replies ...geminitest.Reply) (*plaintest.World, *plaintest.Terminal) {
	w := plaintest.NewWorld(t, machine.Home, map[string]string{"fee.py": plaintest.Fee}, replies...)
	e := plaintest.Start(t, machine.Tmux, w.Dir, w.Env, machine.Editor, program())
	e.WaitFor(">")
	return w, e
}

// A prompt is answered: the answer comes while it streams, then what the turn came to.
func TestAnAnswerStreams(t *testing.T) {
	rest := make(chan struct{})
	later := geminitest.Text(" is done.")
	later.Hold = rest
	_, e := start(t, geminitest.Do(geminitest.Text("Half"), later))
	e.Type("Hi")
	e.Press("Enter")
	e.WaitFor("> Hi", "Half")
	if s := e.Screen(); strings.Contains(s, "Done") {
		t.Errorf("a running turn is shown as done:\n%s", s)
	}
	close(rest)
	e.WaitFor("Half is done.", "Done")
}

// A command is asked about with all that is known of it; a refusal's reason reaches the model.
func TestACommandIsAskedAbout(t *testing.T) {
	w, e := start(t,
		geminitest.Do(plaintest.Run("touch made")), geminitest.Do(plaintest.Run("touch other")), geminitest.Say("I see."))
	e.Type("Make it")
	e.Press("Enter")
	e.WaitFor("Run this command?", "touch made", "Sandbox:", "[1] Allow once", "Answer:")
	e.Type("1")
	e.Press("Enter")
	e.WaitFor("touch other", "No, and say why…")
	lines := strings.Split(e.Screen(), "\n")
	for i, line := range lines {
		if strings.Contains(line, "No, and say why…") && !strings.Contains(strings.Join(lines[i:], "\n"), "touch made") {
			e.Type(line[strings.Index(line, "[")+1 : strings.Index(line, "]")])
		}
	}
	e.Press("Enter")
	e.WaitFor("Why not, and what to do instead:")
	e.Type("not needed")
	e.Press("Enter")
	e.WaitFor("I see.", "Done")
	if !strings.Contains(w.LastRequest(), "not needed") {
		t.Errorf("the model got %s", w.LastRequest())
	}
	if w.Read("other") != "" {
		t.Error("a refused command ran")
	}
}

// The example folds what every client has to fold as the server does.
func TestTheExampleFoldsAsTheServerDoes(t *testing.T) {
	test := exec.CommandContext(t.Context(), machine.Editor, filepath.Join(machine.Repository, "editors/terminal/fold_test.py"))
	if out, err := test.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
