//go:build editors

package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

// user is a user of Emacs.
type user struct {
	*plaintest.Terminal
	w *plaintest.World
}

// start starts Emacs on a file of a project, and emendo in it.
func start(t *testing.T, file, text string, replies ...geminitest.Reply) user {
	t.Helper()
	return open(plaintest.NewWorld(t, machine.Home, map[string]string{file: text}, replies...), file)
}

// open starts Emacs on a file, and emendo in it.
func open(w *plaintest.World, file string) user {
	w.T.Helper()
	u := user{plaintest.Start(w.T, machine.Tmux, w.Dir, w.Env, machine.Editor, "-nw", file), w}
	u.WaitFor(file + "  ")
	u.command("eglot")
	u.WaitFor("[eglot:parking")
	return u
}

// commandPrompt matches the prompt for the name of a command.
var commandPrompt = regexp.MustCompile(`(?m)^M-x `)

// command runs a command by its name. It types the name only once the prompt is there:
// Emacs drops keys that come while it applies an edit, and the name would be typed into
// the file.
func (u user) command(name string) {
	u.T.Helper()
	for range 10 {
		u.Press("M-x")
		if u.WaitBriefly(func() bool { return commandPrompt.MatchString(u.Screen()) }) {
			u.Type(name)
			u.Press("Enter")
			return
		}
	}
	u.Fail("Emacs does not ask for a command")
}

// selectLine goes to a line, counted from 1, and selects it.
func (u user) selectLine(line string) {
	u.T.Helper()
	u.Press("M-g", "g")
	u.Type(line)
	u.Press("Enter", "C-Space", "C-e")
	u.WaitUntil("the cursor is in line "+line, func() bool { return strings.Contains(u.Screen(), " L"+line+" ") })
}

// chooseAction chooses the code action whose title has this prefix. It retries, because
// the action may not be offered yet.
func (u user) chooseAction(title string) {
	u.T.Helper()
	for range 20 {
		u.Press("C-c", "e", "a")
		if u.pick(title) {
			return
		}
	}
	u.Fail("there is no action " + title)
}

// pick chooses from the actions that Emacs offers, if the title is among them.
func (u user) pick(title string) (chosen bool) {
	u.T.Helper()
	u.WaitFor("Pick an action")
	return u.choose(title)
}

// picking matches the prompts for actions of eglot and lsp-mode.
var picking = regexp.MustCompile(`Pick an action|Select code action`)

// choose types a title into the open prompt, and reports whether it is there.
func (u user) choose(title string) (chosen bool) {
	u.T.Helper()
	for word := range strings.SplitAfterSeq(title, " ") {
		u.Type(strings.TrimSuffix(word, " "))
		if strings.HasSuffix(word, " ") { // a plain space would complete a word
			u.Press("C-q", "Space")
		}
	}
	u.WaitFor(": " + strings.TrimSpace(title))
	u.Press("Enter")
	u.WaitUntil("an action is chosen, or not there", func() bool {
		screen := u.Screen()
		chosen = !picking.MatchString(screen)
		return chosen || strings.Contains(screen, "[No match]")
	})
	if !chosen {
		u.Press("C-g")
		u.WaitUntil("the prompt is gone", func() bool { return !picking.MatchString(u.Screen()) })
	}
	return chosen
}

// saveAndWait saves the file, and waits until it has the text on disk. Emacs adds a
// final newline.
func (u user) saveAndWait(file, want string) {
	u.T.Helper()
	u.Press("C-x", "C-s")
	u.WaitUntil(file+" is saved as wanted", func() bool {
		saved := u.w.Read(file)
		return saved == want || saved == want+"\n"
	})
}

// undo undoes the last changes, anywhere in the file. Where a region is active, Emacs
// undoes those in it alone.
func (u user) undo(changes int) {
	u.T.Helper()
	u.Press("M-:")
	u.WaitFor("Eval:")
	u.Type(fmt.Sprintf("(progn (deactivate-mark) (undo %d))", changes))
	u.Press("Enter")
}

// waitForRequests waits until the model has had that many requests.
func (u user) waitForRequests(requests int) {
	u.T.Helper()
	u.WaitUntil("the model is asked", func() bool { return len(u.w.Model.Requests()) >= requests })
}
