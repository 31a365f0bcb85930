//go:build editors

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

// startLSPMode starts Emacs with lsp-mode, set up as the page says, on a file.
func startLSPMode(t *testing.T, replies ...geminitest.Reply) user {
	t.Helper()
	sources, err := filepath.Glob(filepath.Join(os.Getenv("EMENDO_LSP_MODE"), "*", "*.el"))
	if err != nil || len(sources) == 0 {
		t.Fatal("EMENDO_LSP_MODE does not name a folder with lsp-mode: run make test-editors, which finds or installs it")
	}
	blocks, err := plaintest.Blocks(filepath.Join(machine.Repository, "docs", "emacs.md"), "elisp")
	if err != nil || len(blocks) != 3 {
		t.Fatalf("the page has %d blocks, %v", len(blocks), err)
	}
	// The packages are found as if the user's package manager had installed them. This Emacs
	// has no compiler.
	dir := t.TempDir()
	files := map[string]string{"init.el": blocks[2], "early-init.el": `
(setq native-comp-enable-subr-trampolines nil)
(let ((dir (locate-user-emacs-file "lisp")))
  (add-to-list 'load-path dir)
  (loaddefs-generate dir (expand-file-name "packages.el" dir))
  (load "packages"))
`}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		files["lisp/"+filepath.Base(source)] = string(text)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	w := plaintest.NewWorld(t, machine.Home, map[string]string{"fee.py": fee}, replies...)
	u := user{plaintest.Start(t, machine.Tmux, w.Dir, w.Env, machine.Editor, "-nw", "--init-directory", dir, "fee.py"), w}
	u.WaitFor("Import project")
	u.Press("i") // imports the project
	u.WaitFor("LSP[emendo:")
	return u
}

// act presses keys and chooses a code action of lsp-mode, until it is offered.
func (u user) act(title string, before ...string) {
	u.T.Helper()
	for range 20 {
		if before != nil {
			u.Press(before...)
		}
		u.command("lsp-execute-code-action")
		if u.WaitBriefly(func() bool { return strings.Contains(u.Screen(), "Select code action") }) && u.choose(title) {
			return
		}
	}
	u.Fail("there is no action " + title)
}

// do runs a command until it has done what it should. Emacs drops keys that come while
// lsp-mode applies an edit.
func (u user) do(command string, done func() bool) {
	u.T.Helper()
	for range 10 {
		u.Press("C-g")
		u.command(command)
		if u.WaitBriefly(done) {
			return
		}
	}
	u.Fail(command + " does nothing")
}

// shows returns a condition: the screen has a text.
func (u user) shows(text string) func() bool {
	return func() bool { return strings.Contains(u.Screen(), text) }
}

// asked returns a condition: the model has had that many requests.
func (u user) asked(n int) func() bool {
	return func() bool { return len(u.w.Model.Requests()) >= n }
}

func TestLSPMode(t *testing.T) {
	u := startLSPMode(t,
		geminitest.Say("It drops part hours.\n\n", "That is all.\n"),
		geminitest.Do(plaintest.Edit("fee.py", "hours * 250", "hours * 300")), geminitest.Say("It is done."),
		geminitest.Do(plaintest.Run("touch made; echo made > made")), geminitest.Say("It ran."),
	)
	u.selectLine("2")
	u.act("Explain with emendo")
	u.waitForRequests(1)
	u.do("emendo-chat", u.shows("## emendo"))
	u.WaitFor("It drops part hours.", "That is all.", "Markdown Flymake")

	u.Press("M->")
	u.Type("Raise it.")
	u.WaitFor("Raise it.")
	u.do("emendo-send", u.asked(2))
	u.do("emendo-next", u.shows("(Python"))
	u.line("3")
	u.act("Accept: ", "C-g") // the region is still active
	u.WaitFor("hours * 300")
	u.waitForRequests(3)

	u.do("emendo-chat", u.shows("(Markdown"))
	u.Press("M->")
	u.Type("Run it.")
	u.WaitFor("Run it.")
	u.do("emendo-send", u.asked(4))
	u.waitForEnd("**Allow?**")
	u.Press("M->", "C-r")
	u.Type("Allow?")
	u.Press("Enter")
	u.act("Allow once")
	u.waitForEnd("It ran.")
	if u.w.Read("made") != "made\n" || u.w.Read("fee.py") != fee {
		t.Errorf("the command made %q, the file on disk is %q", u.w.Read("made"), u.w.Read("fee.py"))
	}
}
