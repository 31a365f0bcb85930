//go:build editors

package e2e

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

// user is a user of Helix.
type user struct {
	*plaintest.Terminal
	w *plaintest.World
}

// start starts Helix on a file of a project.
func start(t *testing.T, file, text string, replies ...geminitest.Reply) user {
	t.Helper()
	return open(plaintest.NewWorld(t, machine.Home, map[string]string{file: text}, replies...), file)
}

// open starts Helix on a file.
func open(w *plaintest.World, file string) user {
	w.T.Helper()
	u := user{plaintest.Start(w.T, machine.Tmux, w.Dir, w.Env, machine.Editor, file), w}
	u.WaitFor(" NOR ")
	u.WaitUntil("the server has the file", w.Served)
	return u
}

// normal goes to normal mode, and defers the question of a message. It presses Escape
// only if needed: a key too soon after Escape would be taken for Alt with that key.
func (u user) normal() {
	u.T.Helper()
	screen := u.Screen()
	switch {
	case strings.Contains(screen, "Decide later"):
		u.Press("Enter")
		u.WaitUntil("the message is gone", func() bool { return !strings.Contains(u.Screen(), "Decide later") })
	case !strings.Contains(screen, " NOR ") || strings.Contains(screen, menuHas):
		u.Press("Escape")
		u.WaitUntil("Helix is in normal mode", func() bool {
			screen := u.Screen()
			return strings.Contains(screen, " NOR ") && !strings.Contains(screen, menuHas)
		})
	}
}

// chooseAnswer answers the question at the cursor in a chat document, where the menu begins
// with the action that only shows the question.
func (u user) chooseAnswer(title string) {
	u.T.Helper()
	u.Press("Space", "a")
	u.WaitFor("Show the question", title)
	screen := u.Screen()
	first, _ := menuRow(screen, "Show the question", "Show the question")
	row, ok := menuRow(screen, "Show the question", title)
	if !ok {
		u.Fail("the menu does not show " + title)
	}
	for range row - first {
		u.Press("Down")
	}
	u.Press("Enter")
}

// menuRow returns the row of the screen in which a menu has an action whose title has this
// prefix. The menu is where it has another action: diagnostics beside it list answers too.
func menuRow(screen, other, title string) (row int, ok bool) {
	lines := strings.Split(screen, "\n")
	column := -1
	for _, line := range lines {
		if before, _, ok := strings.Cut(line, other); ok {
			column = utf8.RuneCountInString(before)
		}
	}
	for row, line := range lines {
		if cells := []rune(line); column >= 0 && column < len(cells) && strings.HasPrefix(string(cells[column:]), title) {
			return row, true
		}
	}
	return 0, false
}

// menuHas is visible in every menu of code actions.
const menuHas = "Edit with emendo"

// command types a command line.
func (u user) command(line string) {
	u.T.Helper()
	u.normal()
	u.Press(":")
	u.Type(line)
	u.Press("Enter")
}

// cursor matches the line and column in the status line.
var cursor = regexp.MustCompile(`(?m) NOR .* (\d+):\d+ *$`)

// chooseAction opens the menu of code actions, which begins in the row below the
// cursor, and chooses the first one whose title has this prefix. It retries, because
// the action may not be offered yet.
func (u user) chooseAction(title string) {
	u.T.Helper()
	for range 20 {
		u.normal()
		u.Press("Space", "a")
		u.WaitBriefly(func() bool { // the message that there are none may be replaced at once
			screen := u.Screen()
			return strings.Contains(screen, menuHas) || strings.Contains(screen, "Decide later") || strings.Contains(screen, "No ")
		})
		screen := u.Screen()
		at := cursor.FindStringSubmatch(screen)
		if at == nil || !strings.Contains(screen, menuHas) {
			continue
		}
		top, _ := strconv.Atoi(at[1])
		if row, ok := menuRow(screen, menuHas, title); ok {
			for range row - top {
				u.Press("Down")
			}
			u.Press("Enter")
			return
		}
	}
	u.Fail("the menu does not show " + title)
}

// selectLine goes to a line, counted from 1, and selects it.
func (u user) selectLine(line string) {
	u.T.Helper()
	u.normal()
	u.Press(line, "G", "x")
}

// saveAndWait saves everything, and waits until the file on disk has the text and Helix
// has noticed. Helix adds a final newline, and 25.07 may take its own write for that of
// another program.
func (u user) saveAndWait(file, want string) {
	u.T.Helper()
	u.command("write-all!")
	u.WaitUntil(file+" is saved as wanted", func() bool {
		saved := u.w.Read(file)
		return (saved == want || saved == want+"\n") && !strings.Contains(u.Screen(), "[+]")
	})
}
