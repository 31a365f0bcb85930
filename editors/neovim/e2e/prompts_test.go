//go:build editors

package e2e

import (
	"maps"
	"os/exec"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// tariff is a file with functions that Neovim's own parser of Lua finds.
const tariff = `local M = {}

function M.fee(minutes)
  local hours = minutes / 60
  return hours * 200
end

function M.day()
  return 1800
end

return M
`

func withTariff() map[string]string {
	files := maps.Clone(parking)
	files["tariff.lua"] = tariff
	return files
}

// A built-in prompt is about the range, else the function at the cursor, else the file.
func TestBuiltInPromptsAskAboutCode(t *testing.T) {
	w := newWorld(t, withTariff(), geminitest.Say("It is a day."), geminitest.Say("It is a fee."), geminitest.Say("It is a test."), geminitest.Say("It is all of it."))
	e := w.start("tariff.lua")
	for _, tt := range []struct{ keys, answer, want, lines string }{
		{":8Emendo explain<CR>", "It is a day.", "Explain the code in tariff.lua, line 8. Say what it does", "lines 8 to 8"},
		{"5gg:Emendo explain briefly<CR>", "It is a fee.", "Explain the code in tariff.lua, lines 3 to 6. briefly", "lines 3 to 6"},
		{"ggVj:Emendo test<CR>", "It is a test.", "Write tests for the code in tariff.lua", "lines 1 to 2"},
		{"gg:Emendo review<CR>", "It is all of it.", "Review the code in tariff.lua, lines 1 to 12. Look for bugs first", "lines 1 to 12"},
	} {
		e.goTo("tariff.lua")
		e.keys(tt.keys)
		e.waitForAnswer(tt.answer)
		sent := w.lastRequest()
		if _, after, found := strings.Cut(sent, tt.want); !found || !strings.Contains(after, tt.lines) {
			t.Errorf("%s: the last request is %s", tt.keys, sent)
		}
	}
	w.checkAllDeclared()
}

// :Emendo fix sends the diagnostics of its lines, and no others.
func TestFixSendsTheDiagnostics(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("I see."))
	e := w.start("fee.go")
	e.lua(`
		vim.diagnostic.set(vim.api.nvim_create_namespace("test"), 0, {
			{ lnum = 16, col = 1, message = "hours are\ncut off", source = "vet" },
			{ lnum = 24, col = 1, message = "elsewhere" },
		})`)
	e.keys(":13,20Emendo fix<CR>")
	e.waitForAnswer("I see.")
	if sent := w.lastRequest(); !strings.Contains(sent, `The editor reports:\n- line 17: hours are cut off (vet)`) || strings.Contains(sent, "- line 25: elsewhere") {
		t.Errorf("the last request is %s", sent)
	}
	w.checkAllDeclared()
}

// @problems sends what the editor reports for all files of the workspace, also for
// one that no window shows.
func TestAllProblemsAreSent(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("I see."))
	e := w.start("fee.go")
	e.lua(`
		local other = vim.fn.bufadd(vim.fs.joinpath(vim.fn.getcwd(), "unseen.go"))
		vim.diagnostic.set(vim.api.nvim_create_namespace("test"), 0, { { lnum = 16, col = 1, message = "hours are cut off", severity = 1 } })
		vim.diagnostic.set(vim.api.nvim_create_namespace("test"), other, { { lnum = 2, col = 1, message = "in a file that is not shown", severity = 2 } })
		require("emendo").ask({ prompt = "Fix @problems" })`)
	e.waitForAnswer("I see.")
	for _, want := range []string{"line 17, error: hours are cut off", `unseen.go\nline 3, warning: in a file that is not shown`} {
		if sent := w.lastRequest(); !strings.Contains(sent, want) {
			t.Errorf("%s is not in the last request: %s", want, sent)
		}
	}
	w.checkAllDeclared()
}

// The user's own prompts are subcommands, complete, and are functions; placeholders are
// replaced; one may be left in the prompt.
func TestPromptsOfTheUsersOwn(t *testing.T) {
	w := newWorld(t, withTariff(), geminitest.Say("Simpler."), geminitest.Say("None taken."), geminitest.Say("Explained."))
	e := w.start("tariff.lua")
	e.lua(`require("emendo").setup({ prompts = {
		simplify = "Simplify {file} ({filetype}, {diagnostics}, {other}):\n{selection}",
		locks = { desc = "look for deadlocks", prompt = "Which locks?" },
		ticket = { prompt = "Ticket: ", send = false },
		explain = "Explain it my way.",
	} })`)
	if got := value[[]string](e, `return vim.fn.getcompletion("Emendo s", "cmdline")`); !strings.Contains(strings.Join(got, " "), "simplify") {
		t.Errorf("completed: %v", got)
	}
	e.keys(":8,9Emendo simplify At once.<CR>")
	e.waitForAnswer("Simpler.")
	if sent := w.lastRequest(); !strings.Contains(sent, `Simplify tariff.lua (lua, none, {other}):\nfunction M.day()\n  return 1800 At once.`) {
		t.Errorf("the last request is %s", sent)
	}
	e.lua(`require("emendo").locks({ range = { 4, 4 }, done = function(_, result) _G.result = result end })`)
	e.waitForAnswer("None taken.")
	e.waitUntil("the caller gets the result", `(_G.result or {}).stopReason == "end_turn"`)
	e.keys(":Emendo prompt<CR>")
	e.waitFor("locks: look for deadlocks")
	e.choose("explain: Explain it my way.")
	e.waitForAnswer("Explained.")
	e.keys(":Emendo ticket<CR>")
	e.waitForBuffer("emendo://prompt", "Ticket: \n")
	e.waitUntil("the prompt is to be completed", `vim.fn.mode() == "i" and vim.api.nvim_get_current_buf() == vim.fn.bufnr("emendo://prompt")`)
	w.checkAllDeclared()
}

func (w *world) git(args ...string) {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	cmd.Dir, cmd.Env = w.dir, w.env
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// :Emendo commit writes the message into the buffer that git has opened, above git's
// comments, as one undo step, and commits nothing. Secrets that are staged are not sent.
func TestACommitMessage(t *testing.T) {
	more := make(chan struct{})
	message := geminitest.Say("```\nfee: count started hours\n\nThe division dropped them.\n```")
	message.Hold = more
	w := newWorld(t, parking, message, geminitest.Say("fee: another subject"), geminitest.Say("fee: in the panel"))
	w.git("init", "-q")
	w.write(".env", "KEY=hunter2\n")
	w.git("add", "-f", ".env", "fee.go")
	const comments = "\n# Please enter the commit message\n# Changes to be committed:\n"
	w.write(".git/COMMIT_EDITMSG", comments)
	e := w.start(".git/COMMIT_EDITMSG")
	e.waitUntil("it is a commit message", `vim.bo.filetype == "gitcommit"`)
	e.focusEvents()
	e.lua(`require("emendo").commit()`)
	e.waitFor("Writes a commit message  :Emendo cancel")
	close(more)
	want := "fee: count started hours\n\nThe division dropped them.\n" + comments
	e.waitForBuffer("COMMIT_EDITMSG", want)
	e.checkFocusKept()
	sent := w.lastRequest()
	if !strings.Contains(sent, "func Fee(minutes int) int") || strings.Contains(sent, "hunter2") || !strings.Contains(sent, "this file may contain secrets") {
		t.Errorf("the last request is %s", sent)
	}
	e.waitForScreen()
	if strings.Contains(e.screen.String(), "Writes a commit message") {
		t.Errorf("it still shows that it works:\n%s", e.screen)
	}
	e.keys(":Emendo commit<CR>")
	e.waitFor("there is a commit message already")
	e.choose("Keep it")
	e.waitForBuffer("COMMIT_EDITMSG", want)
	e.keys("u")
	e.waitForBuffer("COMMIT_EDITMSG", comments)

	e.keys(":edit! fee.go<CR>:Emendo commit<CR>")
	e.waitUntil("the message is shown", `vim.api.nvim_buf_get_name(0) == "emendo://commit-message" and vim.fn.getline(1) == "fee: in the panel"`)
	w.git("status") // still works, and there is no commit
	if out, err := exec.Command("git", "-C", w.dir, "log").CombinedOutput(); err == nil {
		t.Errorf("there is a commit: %s", out)
	}
	w.git("rm", "-q", "--cached", ".env", "fee.go")
	e.keys(":edit! fee.go<CR>:Emendo commit<CR>")
	e.waitFor("No changes are staged")
	w.checkAllDeclared()
}
