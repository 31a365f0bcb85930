package plaintest

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// Fee is the text of the file that the tests edit.
const Fee = "def fee(minutes):\n    hours = minutes // 60\n    return hours * 250\n"

// A Change is an edit that the model proposes for a file.
type Change struct {
	Name string
	Text string // text of the file before
	Line string // line to accept it on
	Want string // the text afterwards
	Call geminitest.Reply
}

// Changes returns one change of each kind to fee.py.
func Changes() (all []Change) {
	for _, c := range []struct{ name, text, line, old, new string }{
		{"the first line", Fee, "1", "def fee(minutes):\n", "def fee(minutes: int) -> int:\n"},
		{"the last line", Fee, "3", "return hours * 250\n", "return hours * 300\n"},
		{"the last line, without its end", strings.TrimSuffix(Fee, "\n"), "3", "return hours * 250", "return hours * 300"},
		{"the only line", "fee = 250\n", "1", "fee = 250\n", "fee = 300\n"},
		{"lines before the first", Fee, "1", "def fee(minutes):\n", "\"\"\"Fees.\"\"\"\n\n\ndef fee(minutes):\n"},
		{"lines behind the last", Fee, "3", "    return hours * 250\n", "    return hours * 250\n\n\nassert fee(60) == 250\n"},
		{"a deleted last line", Fee, "3", "    return hours * 250\n", ""},
		{"everything", Fee, "1", "", "fee = 250\n"},
		{"an empty file", "", "1", "", "fee = 250\n"},
	} {
		change := Change{Name: c.name, Text: c.text, Line: c.line}
		if c.old == "" {
			change.Call, change.Want = geminitest.Do(Rewrite("fee.py", c.new)), c.new
		} else {
			change.Call, change.Want = geminitest.Do(Edit("fee.py", c.old, c.new)), strings.Replace(c.text, c.old, c.new, 1)
		}
		all = append(all, change)
	}
	return all
}

// An Answer is an answer to a question about a command, with its expected effects.
type Answer struct {
	Label  string
	Made   string // content that the command wrote to the file made
	Result string // part of the call's result for the model
}

// Command returns a call of a command that needs permission, and the answers to try.
func Command() (geminitest.Reply, []Answer) {
	return geminitest.Do(Run("touch made; echo made > made")), []Answer{
		{"Allow once", "made", "Output: (empty)"}, {"Deny", "", "The user did not allow this call"},
	}
}

// Question returns a call in which the model asks the user for a unit.
func Question() geminitest.Reply {
	return geminitest.Do(geminitest.Call("ask_user",
		`{"questions":[{"header":"Unit","question":"Which unit should prices use?","type":"choice","options":[{"label":"Cents","description":"whole numbers"},{"label":"Euros","description":"with a point"}]}]}`))
}

// NewReview creates a project where fee.py is changed since its commit. The model reports a finding on
// line 2 and one on line 3 when it reviews that; then it fixes the second.
func NewReview(t testing.TB, h Home) *World {
	t.Helper()
	w := NewWorld(t, h, map[string]string{"fee.py": "fee = 250\n"}, geminitest.Do(
		geminitest.Call("report_finding", `{"file_path": "fee.py", "line": 2, "severity": "warning", "title": "minutes are lost", "message": ""}`),
		geminitest.Call("report_finding", `{"file_path": "fee.py", "line": 3, "severity": "error", "title": "the price is old", "message": ""}`)),
		geminitest.Say("I read the changes."), geminitest.Do(Edit("fee.py", "hours * 250", "hours * 300")), geminitest.Say("It is done."))
	w.run("git", "add", "-A")
	w.run("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "one")
	w.Write("fee.py", Fee)
	return w
}
