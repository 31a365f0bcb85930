package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/ide"
)

// repository makes the workspace a repository with a commit of what is in it.
func (w *world) repository() {
	w.t.Helper()
	w.inGit("init", "-q", "-b", "main")
	w.inGit("add", "-A")
	w.committed("one")
}

func (w *world) committed(subject string) {
	w.t.Helper()
	w.inGit("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", subject)
}

func (w *world) inGit(args ...string) {
	w.t.Helper()
	if out, err := exec.Command("git", append([]string{"-C", w.dir}, args...)...).CombinedOutput(); err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// twoFindings are the replies of a review that finds two problems, and tries to edit.
func twoFindings() []geminitest.Reply {
	return []geminitest.Reply{
		geminitest.Do(
			geminitest.Call("report_finding", `{"file_path": "b.go", "line": 3, "end_line": 4, "severity": "warning", "title": "b is never closed", "message": "It leaks.\nClose it."}`),
			geminitest.Call("report_finding", `{"file_path": "a b.go", "line": 2, "severity": "error", "title": "a divides by zero", "message": ""}`),
			geminitest.Call("write_file", `{"file_path": "b.go", "content": "gone\n"}`),
		),
		geminitest.Say("I read both files."),
	}
}

// changed returns a world with changes that are not committed: of two files, of one with a
// secret, and a new one.
func changed(t *testing.T, replies ...geminitest.Reply) *world {
	t.Helper()
	w := newWorld(t, replies...)
	w.write("a b.go", "one\n")
	w.write("b.go", "one\n")
	w.write(".env", "KEY=1\n")
	w.repository()
	w.write("a b.go", "one\ntwo-4711\n")
	w.write("b.go", "one\ntwo\nthree\nfour\n")
	w.write(".env", "KEY=hunter2\n")
	w.write("new-4712.go", "package new\n")
	return w
}

func TestReviewPrintsFindings(t *testing.T) {
	w := changed(t, twoFindings()...)
	r := w.exec("review") // in a folder that is not trusted
	r.wantCode(t, 0)
	if want := "b.go:3: warning: b is never closed\n    It leaks.\n    Close it.\na b.go:2: error: a divides by zero\n"; sortedBlocks(r.stdout) != sortedBlocks(want) {
		t.Errorf("printed %s", r.stdout)
	}
	if got := w.read("b.go"); got != "one\ntwo\nthree\nfour\n" {
		t.Errorf("the review has changed a file to %q", got)
	}
	body := string(w.model.Requests()[0].Body)
	for _, want := range []string{"two-4711", "new-4712.go", "report_finding"} {
		if !strings.Contains(body, want) {
			t.Errorf("the model is not told %s: %s", want, body)
		}
	}
	if strings.Contains(body, "hunter2") {
		t.Errorf("the model is told a secret: %s", body)
	}
	if !strings.Contains(r.stderr, "the changes of a file that may hold secrets") {
		t.Errorf("standard error is %q", r.stderr)
	}
}

// sortedBlocks returns lines that begin findings, with those below them, in alphabetical order:
// two that are reported at once may arrive in any.
func sortedBlocks(text string) string {
	blocks := strings.Split(strings.ReplaceAll(text, "\n    ", "\x00"), "\n")
	if len(blocks) > 1 && blocks[0] > blocks[1] {
		blocks[0], blocks[1] = blocks[1], blocks[0]
	}
	return strings.Join(blocks, "\n")
}

func TestReviewFailsOnSeverity(t *testing.T) {
	for _, tt := range []struct {
		failOn, severity string
		want             int
	}{
		{"", "error", 0},
		{"error", "error", 1},
		{"error", "warning", 0},
		{"warning", "warning", 1},
		{"warning", "error", 1},
		{"warning", "information", 0},
	} {
		t.Run(tt.failOn+" with "+tt.severity, func(t *testing.T) {
			call := fmt.Sprintf(`{"file_path": "b.go", "line": 1, "severity": %q, "title": "t", "message": ""}`, tt.severity)
			w := changed(t, geminitest.Do(geminitest.Call("report_finding", call)), geminitest.Say("Done."))
			args := []string{"review"}
			if tt.failOn != "" {
				args = append(args, "--fail-on", tt.failOn)
			}
			w.exec(args...).wantCode(t, tt.want)
		})
	}
}

func TestReviewAsJSON(t *testing.T) {
	w := changed(t, twoFindings()...)
	r := w.exec("review", "--format", "json")
	r.wantCode(t, 0)
	var got struct{ Findings []object }
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
		t.Fatalf("%v: %s", err, r.stdout)
	}
	lines := func(from, to float64) object {
		return object{"start": map[string]any{"line": from, "character": 0.0}, "end": map[string]any{"line": to, "character": 0.0}}
	}
	uri := func(name string) string { return string(ide.FileURI(filepath.Join(w.dir, name))) }
	for _, f := range got.Findings {
		if id, _ := f["id"].(string); id == "" {
			t.Errorf("%v has no ID", f)
		}
		delete(f, "id")
	}
	want := []object{
		{"uri": uri("a b.go"), "range": map[string]any(lines(1, 2)), "severity": "error", "title": "a divides by zero", "message": ""},
		{"uri": uri("b.go"), "range": map[string]any(lines(2, 4)), "severity": "warning", "title": "b is never closed", "message": "It leaks.\nClose it."},
	}
	if diff := cmp.Diff(got.Findings, want); diff != "" {
		t.Errorf("the findings (-got +want):\n%s", diff)
	}
}

// What is reviewed: the model reads the diff of each, and a wrong name is bad input.
func TestReviewOfCommitsAndBranches(t *testing.T) {
	w := changed(t, geminitest.Say("Nothing."), geminitest.Say("Nothing."), geminitest.Say("Nothing."), geminitest.Say("Nothing."))
	w.inGit("checkout", "-q", "-b", "topic")
	w.inGit("add", "b.go")
	w.committed("two")
	w.inGit("add", "a b.go")
	for _, tt := range []struct {
		args      []string
		has, lack string
	}{
		{[]string{"--staged"}, "two-4711", "+three"},
		{[]string{"--commit", "HEAD"}, "+three", "two-4711"},
		{[]string{"--commit", "main"}, "+one", "+three"}, // the first commit
		{[]string{"--branch", "main"}, "+three", "two-4711"},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			before := len(w.model.Requests())
			w.exec(append([]string{"review"}, tt.args...)...).wantCode(t, 0)
			body := string(w.model.Requests()[before].Body)
			if !strings.Contains(body, tt.has) || strings.Contains(body, tt.lack) {
				t.Errorf("the model is told %s", body)
			}
		})
	}
	for _, args := range [][]string{
		{"--commit", "nowhere"}, {"--branch", "--output=x"}, {"--staged", "--commit", "HEAD"}, {"--format", "xml"}, {"--fail-on", "note"},
	} {
		w.exec(append([]string{"review"}, args...)...).wantCode(t, 42)
	}
}

// In an editor: a finding shows at its lines, moves with them, and is dismissed for good. The
// others are back when the server was killed and another one loads the session; they are
// explained, and gone once they are fixed.
func TestFindingsInAnEditor(t *testing.T) {
	replies := append(twoFindings(), geminitest.Say("It divides by zero when b is empty."),
		geminitest.Do(geminitest.Call("replace", `{"file_path": "a b.go", "old_string": "two-4711", "new_string": "fixed"}`)), geminitest.Say("Fixed."))
	w := changed(t, replies...)
	uri, other := string(ide.FileURI(filepath.Join(w.dir, "b.go"))), string(ide.FileURI(filepath.Join(w.dir, "a b.go")))
	e, kill := w.languageServer()
	e.send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"` + uri + `","languageId":"go","version":1,"text":"one\ntwo\nthree\nfour\n"}}}`)
	e.command(2, "emendo.reviewChanges", "{}")
	shown, session := "", ""
	for ended := false; shown == "" || session == "" || !ended; { // in any order
		m := e.until("")
		if strings.Contains(m, "never closed") && strings.Contains(m, "publishDiagnostics") {
			shown = m
		}
		if strings.Contains(m, `"id":2,`) {
			session = sessionOf(t, m)
		}
		ended = ended || strings.Contains(m, "I read both files.")
	}
	for _, want := range []string{`"code":"finding"`, `"source":"emendo"`, `"severity":2`, `"start":{"line":2,"character":0}`, `"end":{"line":3,"character":4}`, `It leaks.\nClose it.`, uri} {
		if !strings.Contains(shown, want) {
			t.Errorf("the diagnostic lacks %s: %s", want, shown)
		}
	}
	e.send(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"` + uri + `","version":2},"contentChanges":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"zero\n"}]}}`)
	e.until(`"start":{"line":3,"character":0}`)
	var kinds []string
	for _, a := range e.findingActions(3, uri, 3) {
		kinds = append(kinds, a.Kind+" "+a.Title+" "+a.Command.Arguments[0].Action)
	}
	want := []string{
		"quickfix.emendo.fixFinding Fix: b is never closed fix", "quickfix.emendo.explainFinding Explain: b is never closed explain",
		"quickfix.emendo.dismissFinding Dismiss: b is never closed dismiss",
	}
	if diff := cmp.Diff(kinds, want); diff != "" {
		t.Fatalf("the actions (-got +want):\n%s", diff)
	}
	e.command(4, "emendo.finding", `{"action":"dismiss","id":"`+e.findingActions(5, uri, 3)[0].Command.Arguments[0].ID+`"}`)
	if gone := e.until(`"diagnostics":[]`); !strings.Contains(gone, uri) {
		t.Errorf("the findings that are gone are of %s", gone)
	}
	kill()

	e, _ = w.languageServer()
	e.send(`{"jsonrpc":"2.0","id":2,"method":"emendo/session/load","params":{"sessionId":"` + session + `"}}`)
	if back := e.until("publishDiagnostics"); !strings.Contains(back, other) || !strings.Contains(back, "a divides by zero") {
		t.Errorf("after a restart it shows %s", back)
	}
	if l := e.findingActions(3, uri, 2); len(l) != 0 {
		t.Errorf("after a restart there are %+v at what was dismissed", l)
	}
	l := e.findingActions(4, other, 1)
	if len(l) != 3 {
		t.Fatalf("after a restart there are %+v", l)
	}
	id := l[0].Command.Arguments[0].ID
	e.command(5, "emendo.finding", `{"action":"explain","id":"`+id+`"}`)
	e.until("It divides by zero when b is empty.")
	e.command(6, "emendo.finding", `{"action":"fix","id":"`+id+`"}`)
	e.until("replace 1 line with 1 line")
	e.command(7, "emendo.acceptAll", "{}")
	if gone := e.until(`"diagnostics":[]`); !strings.Contains(gone, other) {
		t.Errorf("the findings that are gone are of %s", gone)
	}
	if got := w.read("a b.go"); got != "one\nfixed\n" {
		t.Errorf("the file is %q", got)
	}
}

// sessionOf returns the session of an answer to a command.
func sessionOf(t *testing.T, answer string) string {
	t.Helper()
	var a struct{ Result struct{ SessionID string } }
	if err := json.Unmarshal([]byte(answer), &a); err != nil || a.Result.SessionID == "" {
		t.Fatalf("the command is answered %s (%v)", answer, err)
	}
	return a.Result.SessionID
}

// command runs a command with an argument.
func (w wire) command(id int, name, arg string) {
	w.t.Helper()
	w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"workspace/executeCommand","params":{"command":%q,"arguments":[%s]}}`, id, name, arg))
}

// findingAction is a code action on a finding.
type findingAction struct {
	Kind, Title string
	Command     struct {
		Command   string
		Arguments []struct{ ID, Action string }
	}
}

// findingActions returns the actions on the findings at a line.
func (w wire) findingActions(id int, uri string, line int) (l []findingAction) {
	w.t.Helper()
	at := fmt.Sprintf(`{"line":%d,"character":0}`, line)
	w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"textDocument/codeAction","params":{"textDocument":{"uri":%q},"range":{"start":%s,"end":%s},"context":{"diagnostics":[],"triggerKind":1,"only":["quickfix.emendo"]}}}`, id, uri, at, at))
	var answer struct{ Result []findingAction }
	if err := json.Unmarshal([]byte(w.answer(strconv.Itoa(id))), &answer); err != nil {
		w.t.Fatal(err)
	}
	for _, a := range answer.Result {
		if strings.HasSuffix(a.Kind, "Finding") {
			l = append(l, a)
		}
	}
	return l
}

// startServer starts a language server in the workspace, with what it reads and writes.
func (w *world) startServer() (c *exec.Cmd, in io.WriteCloser, out io.Reader) {
	w.t.Helper()
	c = w.start(w.t.Context(), "lsp", "--stdio")
	in, err := c.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err = c.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		w.t.Fatal(err)
	}
	return c, in, out
}

// languageServer connects an editor to a server in the workspace. kill ends it without a word.
func (w *world) languageServer() (e wire, kill func()) {
	w.t.Helper()
	c, in, out := w.startServer()
	end := sync.OnceFunc(func() {
		in.Close()
		_ = c.Wait() // the editor did not say that it leaves, or killed it
	})
	w.t.Cleanup(end)
	e = wire{w.t, in, bufio.NewReader(out)}
	e.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"workspaceFolders":[{"uri":"` + string(ide.FileURI(w.dir)) + `","name":"w"}],"capabilities":{"textDocument":{"publishDiagnostics":{"dataSupport":true},"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":[]}}}}}}}`)
	e.answer("1")
	e.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	return e, func() {
		if err := c.Process.Kill(); err != nil {
			w.t.Fatal(err)
		}
		end()
	}
}
