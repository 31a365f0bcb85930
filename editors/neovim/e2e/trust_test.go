//go:build editors

package e2e

import (
	"maps"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// restricted says in Lua whether a folder is.
const restricted = `vim.iter(require("emendo").state().status.lines or {}):any(function(line) return line.id == "restricted" end)`

// The question to trust a folder lists what it would start and configure. Dismissing
// the question leaves the folder restricted.
func TestTrustIsGivenInSightOfWhatItStarts(t *testing.T) {
	files := maps.Clone(parking)
	files[".gemini/settings.json"] = `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "lint", "command": "bash ./lint.sh", "env": {"TOKEN": "x"}}]}]}}`
	files["lint.sh"] = "echo '{\"systemMessage\": \"It was looked at.\"}'\n"
	call := geminitest.Do(geminitest.Call("run_shell_command", `{"command":"touch made"}`))
	w := newWorld(t, files, call, geminitest.Say("It is off."), call, geminitest.Say("It is made."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Make it." })`)
	e.waitFor("It is off.")
	e.waitUntil("the turn is over", idle)
	for _, text := range []string{"! Restricted mode", "Trust this folder"} {
		e.waitFor(text)
	}

	for _, how := range []struct {
		keys  string
		kind  string
		after string
	}{
		{"<CR>", "restricted", "emendo: restricted as before: /"},
		{"2<CR>", "ready", "emendo: trusted now: /"},
	} {
		e.keys(":Emendo trust<CR>")
		e.waitFor("Type number")
		for _, shown := range []string{"bash ./lint.sh", "with lint.sh", "sets TOKEN", ". Trust and allow these to start", "2: Trust and ask before each start"} {
			e.waitFor(shown)
		}
		e.keys(how.keys)
		e.waitFor(how.after)
		e.waitUntil("the folder is "+how.kind, restricted+` == ...`, how.kind == "restricted")
	}

	e.lua(`require("emendo").ask({ prompt = "Make it now." })`)
	e.waitFor("Start the hook BeforeTool 1.1 (lint) of this folder?")
	if q := e.lastQuestion(); !strings.Contains(q, "bash ./lint.sh\n") || !strings.Contains(q, "\n  Sets: TOKEN (not shown)\n") || !strings.Contains(q, "lint.sh. It runs in the sandbox, as commands do") {
		t.Errorf("the question does not show what would start:\n%s", q)
	}
	e.keys(":Emendo permission allow_once<CR>")
	e.waitFor("It was looked at.")
	e.waitUntil("the command is asked about", `(function() local q = require("emendo.session.questions").open[1]; return q and q.code == "command" end)()`)
	e.keys(":Emendo permission allow_once<CR>")
	e.waitFor("It is made.")
	w.read("made")
	e.waitUntil("the turn is over", idle)
	e.waitUntil("the sandbox level is known", `#vim.tbl_filter(function(line) return line.id == "sandbox" end, require("emendo").state().session.status.lines) == 1`)
	e.waitUntil("it is ready", `require("emendo").state().status.title.text == "Ready"`)
	e.take(small[0])
	e.keys(":Emendo status<CR>")
	level := value[string](e, `for _, line in ipairs(require("emendo").state().session.status.lines) do if line.id == "sandbox" then return line.look end end`)
	e.waitFor("emendo: Ready; Ask; Automatic; " + map[string]string{"a": "sandboxed, no network; ", "b": "weak sandbox, no network; ", "c": "no sandbox; "}[level])
	e.waitUntil("the folder is not cut off", `vim.fn.execute("1messages"):match("; [~/].*/parking$")`)
	w.checkAllDeclared()
}

// An answer for the project applies to what it names, in the next Neovim too.
func TestAnAnswerForTheProjectOutlivesNeovim(t *testing.T) {
	run := func(command string) geminitest.Reply {
		return geminitest.Do(geminitest.Call("run_shell_command", `{"command":"`+command+`"}`))
	}
	w := newWorld(t, parking, run("touch made"), geminitest.Say("It is made."))
	w.emendo("trust", "add")
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Make it." })`)
	e.waitUntil("there is a question", asking)
	e.keys(":Emendo permission<CR>")
	e.choose("Always allow commands that begin with `touch` and stay in the workspace in this project")
	e.waitFor("It is made.")
	e.waitUntil("the turn is over", idle)
	e.quit()

	w.model.Add(run("touch made -c"), geminitest.Say("It is made again."), run("mkdir other"), geminitest.Say("It is not made."))
	e = w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Make it again." })`)
	e.waitFor("It is made again.")
	e.waitUntil("the turn is over", idle)
	e.lua(`require("emendo").ask({ prompt = "Make another." })`)
	e.waitUntil("there is a question", asking)
	e.keys(":Emendo permission reject_once<CR>")
	e.waitFor("It is not made.")
	if n := w.questionsAsked(); n != 2 {
		t.Errorf("%d questions were asked", n)
	}
	w.checkAllDeclared()
}

// questionsAsked returns how many questions came into the window's view.
func (w *world) questionsAsked() (n int) {
	w.t.Helper()
	for _, s := range of(w.wire(), "emendo/view/didChange") {
		p := params[struct {
			SessionID string
			Changes   []struct{ Question *struct{} }
		}](w.t, s)
		for _, c := range p.Changes {
			if p.SessionID == "" && c.Question != nil {
				n++
			}
		}
	}
	return n
}
