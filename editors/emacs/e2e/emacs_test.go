//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

// user is someone at an Emacs.
type user struct {
	*plaintest.Terminal
	w *plaintest.World
}

// start starts Emacs on a file of a project, and emendo in it.
func start(t *testing.T, file, text string, replies ...geminitest.Reply) user {
	t.Helper()
	w := plaintest.NewWorld(t, machine.Home, map[string]string{file: text}, replies...)
	u := user{plaintest.Start(t, machine.Tmux, w.Dir, w.Env, machine.Editor, "-nw", file), w}
	u.Sees(file + "  ")
	u.command("eglot")
	u.Sees("[eglot:parking")
	return u
}

// command runs a command by its name.
func (u user) command(name string) {
	u.T.Helper()
	u.Keys("M-x")
	u.Types(name)
	u.Keys("Enter")
}

// at goes to a line, counted from 1, and selects it.
func (u user) at(line string) {
	u.T.Helper()
	u.Keys("M-g", "g")
	u.Types(line)
	u.Keys("Enter", "C-Space", "C-e")
	u.Until("the cursor is in line "+line, func() bool { return strings.Contains(u.Screen(), " L"+line+" ") })
}

// action chooses the code action whose title begins so. What it is about may not
// be there yet.
func (u user) action(title string) {
	u.T.Helper()
	for range 20 {
		u.Keys("C-c", "a")
		u.Sees("Pick an action")
		for word := range strings.SplitAfterSeq(title, " ") {
			u.Types(strings.TrimSuffix(word, " "))
			if strings.HasSuffix(word, " ") { // alone it would complete a word
				u.Keys("C-q", "Space")
			}
		}
		u.Sees("): " + strings.TrimSpace(title))
		u.Keys("Enter")
		chosen := false
		u.Until("an action is chosen, or not there", func() bool {
			screen := u.Screen()
			chosen = !strings.Contains(screen, "Pick an action")
			return chosen || strings.Contains(screen, "[No match]")
		})
		if chosen {
			return
		}
		u.Keys("C-g")
		u.Until("the prompt is gone", func() bool { return !strings.Contains(u.Screen(), "Pick an action") })
	}
	u.Fail("there is no action " + title)
}

// saves saves the file, and waits until the disk has the text. Emacs ends the
// last line of a file.
func (u user) saves(file, want string) {
	u.T.Helper()
	u.Keys("C-x", "C-s")
	u.Until(file+" is saved as wanted", func() bool {
		saved := u.w.Read(file)
		return saved == want || saved == want+"\n"
	})
}

// undoes undoes the last changes, anywhere.
func (u user) undoes(changes int) {
	u.T.Helper()
	u.Keys("C-g") // else it would undo those of the region
	u.Sees("Quit")
	for range changes {
		u.Keys("C-_")
	}
}

// hears waits until the model has had that many requests.
func (u user) hears(requests int) {
	u.T.Helper()
	u.Until("the model is asked", func() bool { return len(u.w.Model.Requests()) >= requests })
}
