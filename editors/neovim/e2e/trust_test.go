//go:build editors

package e2e

import (
	"maps"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// What a folder would start and configure is in the panel when it is to be
// trusted; leaving the question leaves it restricted.
func TestTrustIsGivenInSightOfWhatItStarts(t *testing.T) {
	files := maps.Clone(parking)
	files[".gemini/settings.json"] = `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "lint", "command": "bash ./lint.sh", "env": {"TOKEN": "x"}}]}]}}`
	files["lint.sh"] = "echo '{\"systemMessage\": \"It was looked at.\"}'\n"
	call := geminitest.Do(geminitest.Call("run_shell_command", `{"command":"touch made"}`))
	w := newWorld(t, files, call, geminitest.Say("It is off."), call, geminitest.Say("It is made."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Make it." })`)
	e.sees("It is off.")
	e.until("the turn is over", idle)
	for _, told := range []string{"the folder is restricted", ":Emendo trust trusts it."} {
		e.sees(told)
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
		e.sees("Type number")
		for _, shown := range []string{"bash ./lint.sh", "with lint.sh", "sets TOKEN", "▸ Trust and allow these to start", "2: Trust and ask before each start"} {
			e.sees(shown)
		}
		e.keys(how.keys)
		e.sees(how.after)
		e.until("the folder is "+how.kind, `require("emendo").state().status.kind == ...`, how.kind)
	}

	e.lua(`require("emendo").ask({ prompt = "Make it now." })`)
	e.sees("may it start the hook BeforeTool 1.1 (lint)")
	if q := e.asked(); !strings.Contains(q, "bash ./lint.sh\n  It sets TOKEN.\n") || !strings.Contains(q, "lint.sh. It runs in the sandbox, as commands do") {
		t.Errorf("the question does not show what would start:\n%s", q)
	}
	e.keys(":Emendo permission allow_once<CR>")
	e.sees("It was looked at.")
	e.until("the command is asked about", `(function() local q = require("emendo.questions").open[1]; return q and q.params.preview.command end)()`)
	e.keys(":Emendo permission allow_once<CR>")
	e.sees("It is made.")
	w.read("made")
	e.until("the turn is over", idle)
	e.until("the level of the sandbox is told", `require("emendo").state().status.sandbox`)
	e.keys(":Emendo status<CR>")
	e.sees("ready; mode default, model auto; commands run " + map[bool]string{true: "without a sandbox", false: "in a sandbox of level "}[value[string](e, `return require("emendo").state().status.sandbox`) == "C"])
	w.allDeclared()
}

// An answer for the project covers what it says, in the next Neovim too.
func TestAnAnswerForTheProjectOutlivesNeovim(t *testing.T) {
	run := func(command string) geminitest.Reply {
		return geminitest.Do(geminitest.Call("run_shell_command", `{"command":"`+command+`"}`))
	}
	w := newWorld(t, parking, run("touch made"), geminitest.Say("It is made."))
	w.emendo("trust", "add")
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Make it." })`)
	e.until("there is a question", asking)
	e.keys(":Emendo permission<CR>")
	e.chooses("Always allow commands that begin with `touch made` in this project")
	e.sees("It is made.")
	e.until("the turn is over", idle)
	e.quit()

	w.model.Add(run("touch made -c"), geminitest.Say("It is made again."), run("touch other"), geminitest.Say("It is not made."))
	e = w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Make it again." })`)
	e.sees("It is made again.")
	e.until("the turn is over", idle)
	e.lua(`require("emendo").ask({ prompt = "Make another." })`)
	e.until("there is a question", asking)
	e.keys(":Emendo permission reject_once<CR>")
	e.sees("It is not made.")
	if n := len(of(w.wire(), "emendo/session/requestPermission")); n != 2 {
		t.Errorf("%d questions were asked", n)
	}
	w.allDeclared()
}
