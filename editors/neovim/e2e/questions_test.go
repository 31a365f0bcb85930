//go:build editors

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// askQuestion opens a question in the window's view, as if the server had. What the user answers
// is in _G.acted, and withdraws it, unless _G.problems says what is wrong with it.
func (e *editor) askQuestion(question string) {
	e.t.Helper()
	e.lua(`_G.acted, _G.asked = nil, (_G.asked or 0) + 1
		require("emendo.handlers") -- has the rest of the plugin follow a question
		local client, window = require("emendo.server.client"), require("emendo.session.window")
		local function change(...)
			window.view:apply({ ... })
			require("emendo.events").emit("window")
		end
		_G.request = _G.request or client.request
		local question = vim.json.decode(..., { luanil = { object = true } })
		question.id = "q" .. _G.asked
		_G.withdraw = function() change({ drop = { question.id } }) end
		client.request = function(method, params, done)
			if method ~= "emendo/view/act" then return _G.request(method, params, done) end
			_G.acted = params
			local problems = _G.problems
			_G.problems = nil
			if not problems then _G.withdraw() end
			done(nil, { problems = problems })
		end
		change({ question = question })`, question)
}

// askOfCommand asks about a command.
func (e *editor) askOfCommand(command string) {
	e.t.Helper()
	text, err := json.Marshal(command)
	if err != nil {
		e.t.Fatal(err)
	}
	first, _, more := strings.Cut(command, "\n")
	if more {
		first += " …"
	}
	brief, err := json.Marshal("Run this command? " + first)
	if err != nil {
		e.t.Fatal(err)
	}
	e.askQuestion(`{"id": "q1", "code": "command", "title": {"text": "Run this command?"}, "brief": {"text": ` + string(brief) + `},
		"parts": [{"kind": "code", "lang": "sh", "label": {"text": "Command"}, "text": ` + string(text) + `}], "lines": [], "options": [
		{"id": "allow_once", "look": "allow_once", "title": {"text": "Allow once"}}, {"id": "reject_once", "look": "reject_once", "title": {"text": "Deny"}},
		{"id": "rejectWhy", "look": "reject_why", "title": {"text": "No, and say why…"}, "fields": [{"id": "reason", "label": {"text": "Why not"}, "type": "text", "required": true}]}]}`)
}

// lastQuestion returns the last question in the panel.
func (e *editor) lastQuestion() string {
	e.t.Helper()
	e.waitUntil("the question is drawn", `(function()
		local q, view = require("emendo.session.questions").shown()[1], require("emendo.panel.view")
		return q and view.row(view.block(q.id))
	end)()`)
	panel := e.buffer("emendo://panel")
	return strings.TrimRight(panel[strings.LastIndex(panel, "\n? ")+1:], "\n")
}

// A question shows everything that the server says of it, in the order in which it says it: the
// questions are those of agent/view.
func TestAQuestionShowsAllThatItIsAbout(t *testing.T) {
	w := newWorld(t, parking)
	w.write(".shown", "")
	e := w.start("fee.go")
	e.take([2]int{columns, 60})
	e.lua(`require("emendo.panel").show()`)
	files, err := filepath.Glob(filepath.Join(repository, "agent", "view", "testdata", "questions", "*.json"))
	if err != nil || len(files) < 15 {
		t.Fatalf("only %d questions: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			e.t = t
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var q asked
			if err := json.Unmarshal(raw, &q); err != nil {
				t.Fatal(err)
			}
			e.askQuestion(strings.Replace(string(raw), `"sessionId": "s",`, "", 1))
			shown := e.lastQuestion()
			rest := shown
			for _, fact := range q.facts() {
				_, after, found := strings.Cut(rest, fact)
				if !found {
					t.Fatalf("%q is not shown in its place:\n%s", fact, shown)
				}
				rest = after
			}
			e.waitFor(q.Brief.Text[:min(len(q.Brief.Text), 60)])
			e.keys(":Emendo permission " + q.Options[len(q.Options)-1].ID + "<CR>")
			if len(q.Options[len(q.Options)-1].Fields) > 0 {
				e.keys("not now<CR>")
			}
			e.waitUntil("it is answered", `_G.acted and _G.acted.actionId == ...`, q.Options[len(q.Options)-1].ID)
		})
	}
}

// asked is a question as the server sends it.
type asked struct {
	Title, Brief said1
	Parts        []struct {
		Label *said1
		Text  string
		Rows  [][]any
	}
	Lines []struct {
		Label *said1
		Text  said1
		Look  string
	}
	Fields []struct {
		Label   said1
		Hint    *said1
		Choices []struct {
			Title  said1
			Detail *said1
		}
	}
	Options []struct {
		ID     string
		Title  said1
		Fields []any
	}
}

type said1 struct{ Text string }

// facts returns what the user has to see of a question, in order.
func (q asked) facts() (l []string) {
	l = append(l, "? "+q.Title.Text)
	for i, p := range q.Parts {
		if i > 0 {
			l = append(l, p.Label.Text)
		}
		for _, row := range p.Rows {
			l = append(l, strings.TrimSpace(fmt.Sprint(row[1])))
		}
		for line := range strings.Lines(p.Text) {
			l = append(l, spelled.Replace(strings.TrimSpace(line)))
		}
	}
	for _, line := range q.Lines {
		text := line.Text.Text
		if line.Label != nil {
			text = line.Label.Text + ": " + text
		}
		l = append(l, text)
	}
	for _, f := range q.Fields {
		for line := range strings.Lines(f.Label.Text) {
			l = append(l, strings.TrimSpace(line))
		}
		if f.Hint != nil {
			l = append(l, f.Hint.Text)
		}
		for _, c := range f.Choices {
			l = append(l, c.Title.Text)
			if c.Detail != nil {
				l = append(l, c.Detail.Text)
			}
		}
	}
	for i, o := range q.Options {
		if i > 0 || len(q.Fields) != 1 || len(q.Fields[0].Choices) == 0 {
			l = append(l, ". "+o.Title.Text)
		}
	}
	return l
}

// spelled are hidden characters as they are shown.
var spelled = strings.NewReplacer("\u202e", `\u{202E}`)

// <CR> only answers on the lines of answers; a menu takes a reason for a refusal.
func TestAQuestionIsAnsweredInThePanelOrByAMenu(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo.panel").show(); vim.api.nvim_set_current_win(require("emendo.panel").window())`)
	e.askOfCommand("make")
	e.lastQuestion()
	e.keys("G<CR>gg<CR>/make<CR><CR>")
	e.waitUntil("nothing is answered", `_G.acted == nil and #require("emendo.session.questions").open == 1`)
	e.keys("/1. Allow<CR><CR>")
	e.waitUntil("it is allowed", `_G.acted and _G.acted.actionId == "allow_once" and not _G.acted.values`)

	e.lua(`require("emendo").close()`)
	e.askOfCommand("make")
	e.keys(":Emendo permission<CR>")
	e.waitFor("    make") // in the panel, which is open again
	e.choose("say why")
	e.waitFor("Why not")
	e.keys("not today<CR>")
	e.waitUntil("it is refused", `_G.acted and _G.acted.actionId == "rejectWhy" and vim.deep_equal(_G.acted.values, { reason = { "not today" } })`)
}

func TestTheMenuNumbersAnswersAsThePanelDoes(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo.panel").show(); vim.api.nvim_set_current_win(require("emendo.panel").window())`)
	e.askOfCommand("make")
	e.waitFor("2. Deny") // in the panel
	e.keys(":Emendo permission<CR>")
	e.waitFor("3: No, and say why") // in the menu
	e.keys("2<CR>")
	e.waitUntil("it is refused", `_G.acted and _G.acted.actionId == "reject_once"`)
}

// A question outlives the conversation that it was shown in, for example when that is
// reloaded. It can be answered, and the panel continues.
func TestAQuestionWhoseConversationIsForgotten(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo.panel").show(); require("emendo.session").lobby:notice("info", "This was said before.")`)
	e.waitFor("! This was said before.")
	e.askOfCommand("make\nmake")
	e.lastQuestion()
	e.lua(`require("emendo.session").lobby:reset()`)
	e.waitUntil("the conversation is forgotten", `not table.concat(vim.fn.getbufline("emendo://panel", 1, "$")):find("said before")`)
	e.keys(":Emendo permission<CR>")
	e.waitFor("    make") // it still is shown
	e.choose("Allow once")
	e.waitUntil("it is allowed", `_G.acted and _G.acted.actionId == "allow_once"`)
	e.lua(`require("emendo.session").lobby:notice("info", "The panel goes on.")`)
	e.waitFor("! The panel goes on.")
}

// Text that a long question pushed off the screen is visible again after the answer.
func TestThePanelFollowsALongQuestion(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo.panel").show(); require("emendo.session").lobby:notice("info", "This was said before.")`)
	e.waitFor("This was said before.")
	e.askOfCommand(strings.Repeat("make all\n", 60) + "make")
	e.waitFor("? Run this command?")
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
	e.askOfCommand("true\nmake first" + strings.Repeat("\nmake all", 60))
	e.waitFor("? Run this command?")
	e.keys(":Emendo permission<CR>")
	e.waitFor("make first")
	e.choose("Deny")
	e.waitUntil("it is refused", `_G.acted and _G.acted.actionId == "reject_once"`)
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
			"? The model asks\n  Which database?\n  It stays.\n  1. SQLite: one file\n  2. Postgres: a server\n  3. Send\n  4. Decline: Say that you do not want to answer\n  5. Close: Leave it unanswered\n",
			inPanel("Postgres"), `{"0":"Postgres"}`,
		},
		{"something else", []string{store}, "", func(e *editor) {
			inPanel("Send")(e)
			e.choose("Something else")
			e.waitFor("Which database? It stays.")
			e.keys("a file of my own<CR>")
		}, `{"0":"a file of my own"}`},
		{"yes or no", []string{tests}, "? The model asks\n  With tests?\n  1. Yes\n  2. No\n  3. Decline: Say that you do not want to answer\n", inPanel("Yes"), `{"0":"yes"}`},
		{"free text", []string{name}, "? The model asks\n  What is it called?\n    (Such as shop)\n  1. Send\n  2. Decline: Say that you do not want to answer\n", func(e *editor) {
			inPanel("Send")(e)
			e.waitFor("What is it called? (Such as shop)")
			e.keys("parking lot<CR>")
		}, `{"0":"parking lot"}`},
		{"several, one of them left open", []string{store, aims, tests, name}, "? The model asks 4 questions\n  Store: Which database?\n  It stays.\n    - SQLite: one file\n", func(e *editor) {
			e.keys(":Emendo permission<CR>")
			e.choose("Leave it open")
			e.choose("[ ] small")
			e.choose("[ ] plain")
			e.choose("Done")
			e.choose("No")
			e.waitFor("What is it called?")
			e.keys("lot<CR>")
		}, `{"1":"small, plain","2":"no","3":"lot"}`},
		{"closed", []string{store}, "", inPanel("Close"), "The user closed the questions without answering."},
		{"closed by a command", []string{store, name}, "", func(e *editor) { e.keys(":Emendo permission cancel<CR>") }, "The user closed the questions without answering."},
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

// A form starts with its defaults. Where the server says that answers do not fit, they are asked
// for again, and nothing else; what was typed is kept.
func TestAFormTakesAnswersThatFit(t *testing.T) {
	e := newWorld(t, parking).start("fee.go")
	e.lua(`require("emendo.panel").show()`)
	form := func(fields ...string) {
		t.Helper()
		e.askQuestion(`{"id": "q1", "code": "form", "title": {"text": "The MCP server docs asks"}, "brief": {"text": "How many?"}, "parts": [], "lines": [],
			"fields": [` + strings.Join(fields, ",") + `], "options": [{"id": "answer", "title": {"text": "Send"}}, {"id": "cancel", "title": {"text": "Close"}}]}`)
	}
	replied := func(values string) {
		t.Helper()
		e.waitUntil("the answers are "+values, `_G.acted and _G.acted.actionId == "answer" and vim.deep_equal(_G.acted.values, vim.json.decode([==[`+values+`]==]))`)
	}
	const size = `{"id": "size", "label": {"text": "How many?"}, "hint": {"text": "A whole number; From 1 to 9; Required"}, "type": "number", "required": true, "values": ["5"]}`
	form(size)
	if got, want := e.lastQuestion(), "? The MCP server docs asks\n  How many?\n    (A whole number; From 1 to 9; Required)\n  1. Send\n  2. Close"; !strings.HasPrefix(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	e.lua(`_G.problems = { { field = "size", text = { text = "Write a number of at most 9." } } }`)
	e.keys(":Emendo permission<CR>")
	e.waitFor("How many? (A whole number; From 1 to 9; Required) 5")
	e.keys("<C-u>17<CR>")
	e.waitFor("How many? (Write a number of at most 9.) (A whole number; From 1 to 9; Required) 17")
	e.lua(`_G.problems = { { field = "size", text = { text = "An answer is required." } } }`)
	e.keys("<C-u><CR>")
	e.waitFor("How many? (An answer is required.)")
	e.keys("7<CR>")
	replied(`{"size": ["7"]}`)

	form(size)
	e.keys(":Emendo permission<CR>")
	e.waitFor("How many?")
	e.keys("<CR>") // the default
	replied(`{"size": ["5"]}`)

	const days = `{"id": "days", "label": {"text": "When?"}, "type": "choice", "many": true, "required": true, "values": ["Tue"], "choices": [{"value": "Mon", "title": {"text": "Monday"}}, {"value": "Tue", "title": {"text": "Tuesday"}}]}`
	form(size, days, `{"id": "colour", "label": {"text": "Which colour?"}, "type": "choice", "required": true, "values": ["g"], "choices": [{"value": "r", "title": {"text": "Red"}}, {"value": "g", "title": {"text": "Green"}}]}`)
	e.lua(`_G.problems = { { field = "days", text = { text = "An answer is required." } } }`)
	e.keys(":Emendo permission<CR>")
	e.waitFor("How many?")
	e.keys("<CR>")
	e.choose("[x] Tuesday")
	e.choose("Done")
	e.waitFor("1: Green") // the default is the first, and there is nothing else to answer
	e.choose("Red")
	e.waitFor("When? (An answer is required.)")
	e.choose("[ ] Monday")
	e.choose("Done")
	replied(`{"size": ["5"], "days": ["Mon"], "colour": ["r"]}`)
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
		return q and vim.inspect(q):find("failed at the sandbox", 1, true) end)()`)
	e.waitForScreen()
	e.keys("<C-\\><C-n>ggjjkk")
	e.waitForScreen()
	e.waitUntil("it still is asked", asking)
	e.waitFor("3. Do not run it again")
	e.waitFor("? seq 1 200 && sh ./out.sh  waits for your an")
	e.snapshot("question")
	e.lua(`require("emendo").permission("allow_once")`)
	e.waitFor("It is out.")
	w.checkAllDeclared()
}
