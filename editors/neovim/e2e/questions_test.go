//go:build editors

package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// askQuestion makes the plugin ask for permission, as if the server had asked. The
// reply is in _G.reply.
func (e *editor) askQuestion(params string) {
	e.t.Helper()
	e.lua(`_G.reply = nil
		require("emendo.handlers") -- has the rest of the plugin follow a question
		local params = vim.json.decode(...)
		coroutine.wrap(function() _G.reply = require("emendo.session.questions").on_permission(params) end)()`, params)
}

// lastQuestion returns the last question in the panel.
func (e *editor) lastQuestion() string {
	e.t.Helper()
	e.waitUntil("the question is drawn", `(function()
		local q = require("emendo.session.questions").open[1]
		return q and require("emendo.panel.view").row(q.block)
	end)()`)
	panel := e.buffer("emendo://panel")
	return strings.TrimRight(panel[strings.LastIndex(panel, "\n? ")+1:], "\n")
}

const answers = "\n  1. Allow once\n  2. Deny\n  (a number or <CR> here; :Emendo permission)"

func TestAQuestionShowsAllThatItIsAbout(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo.panel").show()`)
	for _, tt := range []struct {
		name    string
		meta    string
		preview string
		want    string // in the panel, before the answers
		hint    string // shown beside it
	}{
		{
			name:    "a command of several lines and parts",
			meta:    `"sandbox": "A", "reason": "No rule allows the command. It could destroy something: rm deletes files for good."`,
			preview: `"command": "ls -la\nrm -r build && touch a", "cwd": "/srv/shop", "parsed": ["ls -la", "rm -r build", "touch a"], "saves": ["file:///srv/shop/vat.go"], "unsaved": ["file:///srv/shop/fee.go"]`,
			want: "? emendo asks: may it run this in /srv/shop?\n    ls -la\n    rm -r build && touch a\n  It would run: ls -la · rm -r build · touch a\n  It would run in a sandbox without network, apart from access that you grant.\n" +
				"  It would first save: /srv/shop/vat.go\n" +
				"  Not saved, so it would see the text on disk: /srv/shop/fee.go\n  No rule allows the command. It could destroy something: rm deletes files for good.",
			hint: "ls -la (the first of 2 lines)",
		},
		{
			name:    "a command that nothing holds, with what no screen shows",
			meta:    `"sandbox": "C", "reason": "No rule allows the command."`,
			preview: `"command": "echo \u202e a\u00adb\udb40\udc41\u00a0c\u001b[2K\td", "cwd": "/srv/shop\u200b", "parsed": ["echo"]`,
			want:    "? emendo asks: may it run this in /srv/shop\\u{200B}?\n    echo \\u{202E} a\\u{00AD}b\\u{E0041}\\u{00A0}c\\u{001B}[2K\td\n  It would run without a sandbox, with all that you may do.\n  No rule allows the command.",
			hint:    `\u{202E} a\u{00AD}b`,
		},
		{
			name:    "a command that its sandbox kept from something",
			meta:    `"sandbox": "B", "reason": "The command failed, probably because the sandbox blocked writing /srv/out. Run it again from the start with that access?"`,
			preview: `"command": "make", "cwd": "/srv/shop", "parsed": ["make"]`,
			want: "? emendo asks: may it run this in /srv/shop?\n    make\n  It would run in a weaker sandbox without network, apart from access that you grant.\n" +
				"  The command failed, probably because the sandbox blocked writing /srv/out. Run it again from the start with that access?",
			hint: "may it run this: make  :Emendo permission",
		},
		{
			name:    "a hook of the folder",
			meta:    `"reason": "The settings of /srv/shop would start it, and it has changed since you approved it: its command, arguments, environment or script. Approving it covers these files as they are now: /srv/shop/lint.sh."`,
			preview: `"executable": {"kind": "hook", "name": "BeforeTool 1.1 (lint)", "command": "bash lint.sh", "env": [{"name": "TOKEN"}, {"name": "NODE_OPTIONS", "value": "--import=data:text/javascript,run()"}], "scripts": ["/srv/shop/lint.sh"], "changed": true}`,
			want: "? emendo asks: may it start the hook BeforeTool 1.1 (lint) of this folder?\n    bash lint.sh\n  It sets TOKEN (not shown), NODE_OPTIONS=--import=data:text/javascript,run().\n" +
				"  The settings of /srv/shop would start it, and it has changed since you approved it: its command, arguments, environment or script. Approving it covers these files as they are now: /srv/shop/lint.sh.",
			hint: "(lint) of this folder: bash lint.sh",
		},
		{
			name: "what says it in its title",
			meta: `"reason": "Every later session of this workspace would read it."`,
			want: "? emendo asks: may it do this?\n    Remember: Prices are in cents.\n  Every later session of this workspace would read it.",
			hint: "may it do this: Remember: Prices are in cents.",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e.t = t
			e.askQuestion(`{"sessionId": "s", "toolCall": {"toolCallId": "c", "title": "Remember: Prices are in cents.", "_meta": {"emendo": {` + tt.meta + `}}},
				"options": [{"optionId": "allow_once", "kind": "allow_once", "name": "Allow once"}, {"optionId": "reject_once", "kind": "reject_once", "name": "Deny"}],
				"preview": {` + tt.preview + `}}`)
			if got := e.lastQuestion(); got != tt.want+answers {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want+answers)
			}
			e.waitFor(tt.hint)
			e.keys(":Emendo permission reject_once<CR>")
			e.waitUntil("it is answered", `_G.reply and _G.reply.optionId == "reject_once"`)
		})
	}
}

// <CR> only answers on the lines of answers; a menu takes a reason for a refusal.
func TestAQuestionIsAnsweredInThePanelOrByAMenu(t *testing.T) {
	const params = `{"sessionId": "s", "toolCall": {"toolCallId": "c"}, "preview": {"command": "make", "cwd": "/srv"}, "options": [
		{"optionId": "allow_once", "kind": "allow_once", "name": "Allow once"}, {"optionId": "reject_once", "kind": "reject_once", "name": "Deny"}]}`
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo.panel").show(); vim.api.nvim_set_current_win(require("emendo.panel").window())`)
	e.askQuestion(params)
	e.lastQuestion()
	e.keys("G<CR>gg<CR>/make<CR><CR>")
	e.waitUntil("nothing is answered", `_G.reply == nil and #require("emendo.session.questions").open == 1`)
	e.keys("/1. Allow<CR><CR>")
	e.waitUntil("it is allowed", `vim.deep_equal(_G.reply, { outcome = "selected", optionId = "allow_once" })`)

	e.lua(`require("emendo").close()`)
	e.askQuestion(params)
	e.keys(":Emendo permission<CR>")
	e.waitFor("    make") // in the panel, which is open again
	e.choose("say why")
	e.waitFor("Why not:")
	e.keys("not today<CR>")
	e.waitUntil("it is refused", `vim.deep_equal(_G.reply, { outcome = "selected", optionId = "reject_once", feedback = "not today" })`)
}

func TestTheMenuNumbersAnswersAsThePanelDoes(t *testing.T) {
	const params = `{"sessionId": "s", "toolCall": {"toolCallId": "c"}, "preview": {"command": "make", "cwd": "/srv"}, "options": [
		{"optionId": "allow_once", "kind": "allow_once", "name": "Allow once"}, {"optionId": "allow_always", "kind": "allow_always", "name": "Always allow"},
		{"optionId": "reject_once", "kind": "reject_once", "name": "Deny"}]}`
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo.panel").show(); vim.api.nvim_set_current_win(require("emendo.panel").window())`)
	e.askQuestion(params)
	e.waitFor("3. Always allow") // in the panel
	e.keys(":Emendo permission<CR>")
	e.waitFor("say why") // in the menu
	e.keys("3<CR>")
	e.waitUntil("it is allowed", `vim.deep_equal(_G.reply, { outcome = "selected", optionId = "allow_always" })`)
}

// A question outlives the conversation that it was shown in, for example when that is
// reloaded. It can be answered, and the panel continues.
func TestAQuestionWhoseConversationIsForgotten(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo.panel").show()`)
	e.askQuestion(`{"sessionId": "s", "toolCall": {"toolCallId": "c"}, "preview": {"command": "make\nmake", "cwd": "/srv"}, "options": [
		{"optionId": "allow_once", "kind": "allow_once", "name": "Allow once"}]}`)
	e.lastQuestion()
	e.lua(`require("emendo.session").lobby:reset()`)
	e.waitForBuffer("emendo://panel", "\n")
	e.keys(":Emendo permission<CR>")
	e.waitFor("    make") // it is shown again
	e.choose("Allow once")
	e.waitUntil("it is allowed", `_G.reply and _G.reply.optionId == "allow_once"`)
	e.lua(`require("emendo.session").lobby:notice("info", "The panel goes on.")`)
	e.waitFor("! The panel goes on.")
}

// Text that a long question pushed off the screen is visible again after the answer.
func TestThePanelFollowsALongQuestion(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo.panel").show(); require("emendo.session").lobby:notice("info", "This was said before.")`)
	e.waitFor("This was said before.")
	e.askQuestion(`{"sessionId": "s", "toolCall": {"toolCallId": "c"}, "preview": {"command": "` + strings.Repeat(`make all\n`, 60) + `make", "cwd": "/srv"}, "options": [
		{"optionId": "reject_once", "kind": "reject_once", "name": "Deny"}]}`)
	e.waitFor("may it run this in /srv?")
	if strings.Contains(e.screen.String(), "This was said before.") {
		t.Fatal("the question is not long enough")
	}
	e.keys(":Emendo permission reject_once<CR>")
	e.waitFor("This was said before.")
}

// The menu answers what the user sees: the command from its beginning on.
func TestAMenuShowsALongCommandFromItsBeginning(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo.panel").show()`)
	e.askQuestion(`{"sessionId": "s", "toolCall": {"toolCallId": "c"}, "preview": {"command": "true\nmake first` + strings.Repeat(`\nmake all`, 60) + `", "cwd": "/srv"}, "options": [
		{"optionId": "reject_once", "kind": "reject_once", "name": "Deny"}]}`)
	e.waitFor("may it run this in /srv?")
	e.keys(":Emendo permission<CR>")
	e.waitFor("make first")
	e.choose("Deny")
	e.waitUntil("it is refused", `_G.reply and _G.reply.optionId == "reject_once"`)
	e.lua(`require("emendo.session").lobby:notice("info", "The panel goes on.` + strings.Repeat(`\nAnd on.`, 60) + `\nTo here.")`)
	e.waitFor("To here.")
}

func TestTheModelsQuestions(t *testing.T) {
	const (
		store = `{"header":"Store","question":"Which database?\nIt stays.","type":"choice","options":[{"label":"SQLite","description":"one file"},{"label":"Postgres","description":"a server"}]}`
		aims  = `{"header":"Aims","question":"What matters?","type":"choice","multiSelect":true,"options":[{"label":"small","description":""},{"label":"fast","description":""},{"label":"plain","description":""}]}`
		tests = `{"header":"Tests","question":"With tests?","type":"yesno"}`
		name  = `{"header":"Name","question":"What is it called?","type":"text","placeholder":"shop"}`
	)
	inPanel := func(answer string) func(*editor) {
		return func(e *editor) {
			e.lua(`vim.api.nvim_set_current_win(require("emendo.panel").window())`)
			e.keys("/\\d\\. " + answer + "<CR><CR>")
		}
	}
	w := newWorld(t, parking)
	e := w.start("fee.go")
	e.lua(`require("emendo.panel").show()`)
	for _, tt := range []struct {
		name      string
		questions []string
		shows     string
		answer    func(*editor)
		sent      string
	}{
		{
			"one choice",
			[]string{store},
			"? The model asks:\n  Which database?\n  It stays.\n  1. SQLite: one file\n  2. Postgres: a server\n  3. Something else…\n  4. No answer\n",
			inPanel("Postgres"), `{"0":"Postgres"}`,
		},
		{"something else", []string{store}, "", func(e *editor) {
			inPanel("Something")(e)
			e.waitFor("Which database? It stays.")
			e.keys("a file of my own<CR>")
		}, `{"0":"a file of my own"}`},
		{"yes or no", []string{tests}, "? The model asks:\n  With tests?\n  1. Yes\n  2. No\n  3. No answer\n", inPanel("Yes"), `{"0":"yes"}`},
		{"free text", []string{name}, "? The model asks:\n  What is it called?\n    such as shop\n  1. Answer…\n  2. No answer\n", func(e *editor) {
			inPanel("Answer")(e)
			e.waitFor("(such as shop)")
			e.keys("parking lot<CR>")
		}, `{"0":"parking lot"}`},
		{"several, one of them left open", []string{store, aims, tests, name}, "? The model asks 4 things:\n  Store: Which database?\n  It stays.\n    - SQLite: one file\n", func(e *editor) {
			e.keys(":Emendo permission<CR>")
			e.choose("Leave it open")
			e.choose("[ ] small")
			e.choose("[ ] plain")
			e.choose("Done")
			e.choose("No")
			e.waitFor("What is it called?")
			e.keys("lot<CR>")
		}, `{"1":"small, plain","2":"no","3":"lot"}`},
		{"closed", []string{store}, "", inPanel("No answer"), "The user closed the questions without answering."},
		{"closed by a command", []string{store, name}, "", func(e *editor) { e.keys(":Emendo permission none<CR>") }, "The user closed the questions without answering."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e.t = t
			w.model.Add(geminitest.Do(geminitest.Call("ask_user", `{"questions":[`+strings.Join(tt.questions, ",")+`]}`)), geminitest.Say("So be it."))
			e.lua(`require("emendo").ask({ prompt = "Build it." })`)
			e.waitUntil("there is a question", asking)
			if got := e.lastQuestion() + "\n"; !strings.HasPrefix(got, tt.shows) {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.shows)
			}
			tt.answer(e)
			e.waitUntil("the turn is over", idle)
			said, err := json.Marshal(tt.sent)
			if err != nil {
				t.Fatal(err)
			}
			if sent := w.lastRequest(); !strings.Contains(sent, strings.Trim(string(said), `"`)) {
				t.Errorf("the last request lacks %s: %s", said, sent)
			}
		})
	}
	e.t = t
	w.model.Add(geminitest.Do(geminitest.Call("ask_user", `{"questions":[`+name+`]}`)))
	e.lua(`require("emendo").ask({ prompt = "And again." })`)
	e.waitUntil("there is a question", asking)
	e.keys(":Emendo cancel<CR>")
	e.waitUntil("the turn is over", idle)
	e.waitUntil("the question is gone", "not ("+asking+")")
	w.checkAllDeclared()
}

// A form of an MCP server starts with its defaults and only accepts valid answers.
func TestAFormTakesAnswersThatFit(t *testing.T) {
	w := newWorld(t, parking)
	e := w.start("fee.go")
	e.lua(`require("emendo.panel").show()`)
	form := func(questions ...string) {
		t.Helper()
		e.lua(`_G.reply = nil
			local params = vim.json.decode(...)
			coroutine.wrap(function() _G.reply = require("emendo.session.questions").on_elicit(params) end)()`,
			`{"sessionId":"s","serverName":"docs","questions":[`+strings.Join(questions, ",")+`]}`)
	}
	replied := func(want string) {
		t.Helper()
		e.waitUntil("the reply is "+want, `vim.deep_equal(_G.reply, vim.json.decode([==[`+want+`]==]))`)
	}
	const size = `{"header":"Size","question":"How many?","type":"integer","required":true,"default":"5","minimum":1,"maximum":9}`
	form(size)
	if got, want := e.lastQuestion(), "? The MCP server docs asks:\n  How many?\n    (a whole number; 1 to 9; by default 5; required)\n  1. Answer…\n  2. No answer"; !strings.HasPrefix(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	e.keys(":Emendo permission<CR>")
	e.waitFor("How many?")
	e.keys("<C-u>17<CR>")
	e.waitFor("(want 1 to 9)")
	e.keys("<C-u>many<CR>")
	e.waitFor("(want a whole number, such as 12)")
	e.keys("<C-u><CR>")
	e.waitFor("(an answer is required)")
	e.keys("7<CR>")
	replied(`{"answers":[{"values":["7"]}]}`)

	form(size)
	e.keys(":Emendo permission<CR>")
	e.waitFor("How many?")
	e.keys("<CR>") // the default
	replied(`{"answers":[{"values":["5"]}]}`)

	for _, tt := range []struct{ kind, bad, why, good string }{
		{`"type":"number"`, "1,5", "want a number", "1.5e3"},
		{`"type":"url"`, "example.test", "want a web address", "https://example.test/a"},
		{`"type":"text","format":"email"`, "ada", "want an e-mail address", "ada@example.test"},
		{`"type":"text","format":"uri"`, "ada", "want a whole address", "urn:isbn:1"},
		{`"type":"text","format":"date"`, "2026-02-30", "want a date", "2026-02-28"},
		{`"type":"text","format":"date-time"`, "2026-02-28", "want a date and a time", "2026-02-28T10:00:00+01:00"},
		{`"type":"text","minLength":2,"maxLength":3`, "a", "want 2 to 3 characters", "aé"},
	} {
		form(`{"header":"Field","question":"Which?",` + tt.kind + `}`)
		e.keys(":Emendo permission<CR>")
		e.waitFor("Which?")
		e.keys(tt.bad + "<CR>")
		e.waitFor("(" + tt.why)
		e.keys("<C-u>" + tt.good + "<CR>")
		replied(`{"answers":[{"values":["` + tt.good + `"]}]}`)
	}

	const days = `{"header":"Days","question":"When?","type":"choice","multiSelect":true,"required":true,"minItems":1,"default":["Tue"],"options":[{"label":"Mon","description":"","value":"Mon"},{"label":"Tue","description":"","value":"Tue"}]}`
	form(days, `{"header":"Colour","question":"Which colour?","type":"choice","required":true,"default":"g","options":[{"label":"Red","description":"","value":"r"},{"label":"Green","description":"","value":"g"}]}`)
	e.keys(":Emendo permission<CR>")
	e.choose("[x] Tue")
	e.choose("Done")
	e.waitFor("(an answer is required)")
	e.choose("[ ] Mon")
	e.choose("Done")
	e.waitFor("1: Green") // the default is the first, and there is nothing else to answer
	e.choose("Red")
	replied(`{"answers":[{"values":["Mon"]},{"values":["r"]}]}`)
}

// After a command failed because of the sandbox, the user is asked to allow the
// access. The question stays until the user answers it.
func TestTheQuestionAfterASandboxStands(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(geminitest.Call("run_shell_command", `{"command":"seq 1 200 && sh ./out.sh"}`)), geminitest.Say("It is out."))
	w.write("out.sh", "test -e again && exit 0\ntouch again\nseq 1 2000\ngetent hosts example.com || exit 6\n")
	w.emendo("trust", "add")
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Do it." })`)
	e.waitUntil("there is a question", asking)
	e.lua(`require("emendo").permission("allow_once")`)
	e.waitUntil("the command has failed", `(function() local q = require("emendo.session.questions").open[1]
		return q and vim.inspect(q.params):find("failed at the sandbox", 1, true) end)()`)
	e.waitForScreen()
	e.keys("<C-\\><C-n>ggjjkk")
	e.waitForScreen()
	e.waitUntil("it still is asked", asking)
	e.waitFor("2. Do not run it again")
	e.waitFor("? seq 1 200 && sh ./out.sh  waits for you")
	e.snapshot("question")
	e.lua(`require("emendo").permission("allow_once")`)
	e.waitFor("It is out.")
	w.checkAllDeclared()
}
