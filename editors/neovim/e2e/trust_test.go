//go:build editors

package e2e

import (
	"maps"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

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
	for _, text := range []string{"the folder is restricted", ":Emendo trust trusts it."} {
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
		e.waitUntil("the folder is "+how.kind, `require("emendo").state().status.kind == ...`, how.kind)
	}

	e.lua(`require("emendo").ask({ prompt = "Make it now." })`)
	e.waitFor("may it start the hook BeforeTool 1.1 (lint)")
	if q := e.lastQuestion(); !strings.Contains(q, "bash ./lint.sh\n  It sets TOKEN (not shown).\n") || !strings.Contains(q, "lint.sh. It runs in the sandbox, as commands do") {
		t.Errorf("the question does not show what would start:\n%s", q)
	}
	e.keys(":Emendo permission allow_once<CR>")
	e.waitFor("It was looked at.")
	e.waitUntil("the command is asked about", `(function() local q = require("emendo.session.questions").open[1]; return q and q.params.preview.command end)()`)
	e.keys(":Emendo permission allow_once<CR>")
	e.waitFor("It is made.")
	w.read("made")
	e.waitUntil("the turn is over", idle)
	e.waitUntil("the sandbox level is known", `require("emendo").state().status.sandbox`)
	e.take(small[0])
	e.keys(":Emendo status<CR>")
	level := value[string](e, `return require("emendo").state().status.sandbox`)
	e.waitFor("emendo: ready; default, auto; " + map[string]string{"A": "sandboxed, no network; ", "B": "weak sandbox, no network; ", "C": "no sandbox; "}[level])
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
	if n := len(of(w.wire(), "emendo/session/requestPermission")); n != 2 {
		t.Errorf("%d questions were asked", n)
	}
	w.checkAllDeclared()
}
