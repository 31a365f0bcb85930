//go:build editors

package e2e

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

// user is someone at a Helix.
type user struct {
	*plaintest.Terminal
	w *plaintest.World
}

// start starts Helix on a file of a project.
func start(t *testing.T, file, text string, replies ...geminitest.Reply) user {
	t.Helper()
	w := plaintest.NewWorld(t, machine.Home, map[string]string{file: text}, replies...)
	u := user{plaintest.Start(t, machine.Tmux, w.Dir, w.Env, machine.Editor, file), w}
	u.Sees(" NOR ")
	return u
}

// normal goes to normal mode, and puts off what a message asks. It presses
// Escape only where that shows: a key that follows one too fast would be taken
// for one with Alt.
func (u user) normal() {
	u.T.Helper()
	screen := u.Screen()
	switch {
	case strings.Contains(screen, "Decide later"):
		u.Keys("Enter")
		u.Until("the message is gone", func() bool { return !strings.Contains(u.Screen(), "Decide later") })
	case !strings.Contains(screen, " NOR ") || strings.Contains(screen, menuHas):
		u.Keys("Escape")
		u.Until("Helix is in normal mode", func() bool {
			screen := u.Screen()
			return strings.Contains(screen, " NOR ") && !strings.Contains(screen, menuHas)
		})
	}
}

// menuHas is in every menu of code actions, in the rows that it shows at first.
const menuHas = "Edit with emendo"

// command types a command line.
func (u user) command(line string) {
	u.T.Helper()
	u.normal()
	u.Keys(":")
	u.Types(line)
	u.Keys("Enter")
}

// cursor is in the status line: the cursor's line and column.
var cursor = regexp.MustCompile(`(?m) NOR .* (\d+):\d+ *$`)

// action opens the menu of code actions, which begins in the row below the
// cursor, and chooses the first one whose title begins so. What it is about may
// not be there yet.
func (u user) action(title string) {
	u.T.Helper()
	for range 20 {
		u.normal()
		u.Keys("Space", "a")
		u.Soon(func() bool { // that there are none is told in a line which something else may replace at once
			screen := u.Screen()
			return strings.Contains(screen, menuHas) || strings.Contains(screen, "Decide later") || strings.Contains(screen, "No ")
		})
		screen := u.Screen()
		at := cursor.FindStringSubmatch(screen)
		if at == nil || !strings.Contains(screen, menuHas) {
			continue
		}
		top, _ := strconv.Atoi(at[1])
		for row, line := range strings.Split(screen, "\n")[top:] {
			before, _, ok := strings.Cut(line, " "+title)
			if ok && !strings.HasSuffix(before, "-") && !strings.HasSuffix(before, ":") { // else it is the question, which names the choices too
				for range row {
					u.Keys("Down")
				}
				u.Keys("Enter")
				return
			}
		}
	}
	u.Fail("the menu does not show " + title)
}

// at goes to a line, counted from 1, and selects it.
func (u user) at(line string) {
	u.T.Helper()
	u.normal()
	u.Keys(line, "G", "x")
}

// saves saves everything, and waits until the disk has the text of a file and
// Helix knows it. It ends the last line of a file, and 25.07 may take its own
// writing for that of another program.
func (u user) saves(file, want string) {
	u.T.Helper()
	u.command("write-all!")
	u.Until(file+" is saved as wanted", func() bool {
		saved := u.w.Read(file)
		return (saved == want || saved == want+"\n") && !strings.Contains(u.Screen(), "[+]")
	})
}
