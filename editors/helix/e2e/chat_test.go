//go:build editors

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

// interrupted is a user in the middle of an answer of four paragraphs, of which two are
// saved and two are not. The model says no more until the test ends.
func interrupted(t *testing.T, replies ...geminitest.Reply) user {
	t.Helper()
	saved, never := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(never) })
	later := func(text string, hold <-chan struct{}) geminitest.Event {
		e := geminitest.Text(text)
		e.Hold = hold
		return e
	}
	answer := geminitest.Do(geminitest.Text("One.\n\nTwo.\n\nTh"), later("ree.\n\nFour.\n\nF", saved), later("ive.", never))
	u := start(t, "fee.py", fee, append([]geminitest.Reply{answer}, replies...)...)
	u.openEmpty("a")
	u.ask("Why?")
	u.WaitFor("One.", "Two.")
	file := u.w.Chat() // which is not there while Helix writes it
	u.command("write")
	u.WaitUntil("the document is saved", func() bool { return strings.Contains(u.w.Read(file), "Two.") })
	close(saved)
	u.WaitFor("Three.", "Four.")
	return u
}

// openEmpty opens an empty conversation with a key after Space m.
func (u user) openEmpty(key string) {
	u.T.Helper()
	u.until(func(screen string) bool {
		return strings.Contains(screen, "## You") && !strings.Contains(screen, "## emendo")
	}, "Space", "m", key)
}

// restart ends Helix without saving, and starts it on a file.
func (u *user) restart(file string) {
	u.T.Helper()
	u.command("quit-all!")
	before := u.sent("textDocument/didOpen")
	u.Terminal = plaintest.Start(u.T, machine.Tmux, u.w.Dir, u.w.Env, machine.Editor, file)
	u.WaitFor(" NOR ")
	u.WaitUntil("the server has the file", func() bool { return u.sent("textDocument/didOpen") > before })
}

// sent returns how often Helix has sent a message.
func (u user) sent(method string) (n int) {
	u.T.Helper()
	for _, m := range u.w.Wire() {
		if m.Method == method {
			n++
		}
	}
	return n
}

// saves saves the chat document, and checks its text after the front matter.
func (u user) saves(want string) {
	u.T.Helper()
	file, got := u.w.Chat(), ""
	u.command("write")
	saved := u.WaitBriefly(func() bool {
		_, got, _ = strings.Cut(u.w.Read(file), "\n---\n\n")
		return got == want
	})
	if !saved {
		u.T.Errorf("the document is\n%s\nwant\n%s", got, want)
	}
}

// Helix is closed in the middle of an answer. The document gets the rest of it with the
// next question.
func TestTheRestOfAnAnswerIsAdded(t *testing.T) {
	u := interrupted(t, geminitest.Say("Because."))
	u.restart(u.w.Chat())
	u.ask("Really?")
	u.WaitUntil("the answer is there", func() bool { return strings.Contains(u.bottom(), "Because.") })
	const want = "## You\nWhy?\n\n## emendo\n\nOne.\n\nTwo.\n\nThree.\n\nFour.\n\nF\n\n> **Note:** Cancelled.\n\n## You\nReally?\n\n## emendo\n\nBecause.\n\n## You\n\n"
	u.saves(want)
}

// What a reload discards comes back. What the user undoes does not.
func TestTheDocumentIsReloaded(t *testing.T) {
	u := interrupted(t)
	before := u.sent("workspace/didChangeWatchedFiles")
	u.command("reload")
	u.WaitUntil("the server is told", func() bool { return u.sent("workspace/didChangeWatchedFiles") > before })
	u.WaitFor("Three.", "Four.")
	const asked, next = "## You\nWhy?\n\n## emendo\n\nOne.\n\nTwo.\n", "\n## You\n\n"
	u.saves(asked + "\nThree.\n\nFour.\n" + next)
	u.normal()
	u.Press("u")
	u.WaitUntil("the paragraphs are gone", func() bool { return !strings.Contains(u.Screen(), "Three.") })
	u.saves(asked + next)
}

// A new editor continues the last conversation. An empty document is not multiplied.
func TestTheLastConversationIsContinued(t *testing.T) {
	u := start(t, "fee.py", fee, geminitest.Say("Because."), geminitest.Say("Really."))
	documents := func() int {
		l, err := filepath.Glob(u.w.Path(".emendo/chats/*.emendo.md"))
		if err != nil {
			t.Fatal(err)
		}
		return len(l)
	}
	u.openEmpty("m")
	u.ask("Why?")
	u.WaitFor("Because.")
	u.command("write")
	u.restart("fee.py")
	u.chat()
	u.WaitFor("Why?", "Because.")
	u.ask("Really?")
	u.WaitUntil("the answer is there", func() bool { return strings.Contains(u.bottom(), "Really.") })
	if n := documents(); n != 1 {
		t.Errorf("there are %d documents, want 1", n)
	}
	u.command("write")
	for range 2 {
		u.openEmpty("a")
		if n := documents(); n != 2 {
			t.Errorf("there are %d documents, want 2", n)
		}
		u.restart("fee.py")
	}
}
