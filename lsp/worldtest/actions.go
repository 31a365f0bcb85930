package worldtest

import (
	"encoding/json"
	"strings"
	"testing/synctest"

	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
)

// Asking starts a turn that asks for permission for a command, with the cursor at
// "return 2".
func (w *World) Asking(command string) (uri string) {
	w.Helper()
	w.Spawn.Scripts = map[string]sandboxtest.Script{command: sandboxtest.Print("", 0)}
	u := w.Open()
	w.Actions(u, "return 2", nil) // moves the cursor there
	w.Command("emendo.ask", Obj{"prompt": "Run"}, nil)
	return u
}

// Warnings returns the diagnostics of questions.
func (w *World) Warnings(uri string) (l []lsptest.Diagnostic) {
	for _, d := range w.Editor.Seen().Diagnostics[uri] {
		if d.Severity == 2 {
			l = append(l, d)
		}
	}
	return l
}

// Choose runs the action with that title.
func (w *World) Choose(uri, text, title string) {
	w.Helper()
	for _, a := range w.Actions(uri, text, nil) {
		if a.Title == title {
			w.Call("workspace/executeCommand", Obj{"command": a.Command.Command, "arguments": a.Command.Arguments}, nil)
			return
		}
	}
	w.Fatalf("no action %q at %q", title, text)
}

// Chat opens a chat document with a text.
func (w *World) Chat(name, text string) (uri string) {
	w.Helper()
	uri = w.URI(name)
	w.Write(name, text)
	w.Editor.Open(uri, text)
	w.Advance()
	return uri
}

// Send sends the question of a chat document.
func (w *World) Send(uri string) (session, turn string) {
	w.Helper()
	var r struct{ SessionID, TurnID string }
	w.Command("emendo.send", Obj{"uri": uri}, &r)
	return r.SessionID, r.TurnID
}

// Messages returns the messages of the server, without where the conversation is.
func (w *World) Messages() []string {
	l := w.Editor.Seen().Messages
	for i := range l {
		l[i], _, _ = strings.Cut(l[i], " \n(The conversation is in ")
	}
	return l
}

// Restart ends the server and connects the editor to another one.
func (w *World) Restart(p lsptest.Profile) {
	w.Helper()
	if err := w.Editor.End(); err != nil {
		w.Fatal(err)
	}
	if err := w.Editor.Reconnect(p, w.Dir, w.Serve); err != nil {
		w.Fatal(err)
	}
	synctest.Wait()
}

// Settle waits until everything is written.
func (w *World) Settle() {
	for range 5 {
		w.Advance()
	}
}

// Last returns the change set that the client assembles from notifications.
func (w *World) Last() lsptest.ChangeSet {
	w.Helper()
	l := w.Editor.Seen().ChangeSets
	if len(l) == 0 {
		w.Fatal("no change set was sent")
	}
	return l[len(l)-1]
}

// Ran returns the commands that ran.
func (w *World) Ran() string {
	var l []string
	for _, c := range w.Spawn.Started() {
		l = append(l, c.Argv[len(c.Argv)-1])
	}
	return strings.Join(l, "; ")
}

// Propose proposes a change of the user's own and returns its change set.
func (w *World) Propose(params Obj) lsptest.ChangeSet {
	w.Helper()
	var answer struct{ ChangeSet lsptest.ChangeSet }
	w.Call("emendo/changes/propose", params, &answer)
	return answer.ChangeSet
}

// Accept accepts a whole change set.
func (w *World) Accept(changeSetID string) {
	w.Helper()
	w.Call("emendo/changes/resolve", Obj{"decisions": []Obj{{"changeSetId": changeSetID, "action": "accept"}}}, nil)
}

// Sets returns the change sets that the server lists.
func (w *World) Sets(params any) []lsptest.ChangeSet {
	w.Helper()
	var r struct{ ChangeSets []lsptest.ChangeSet }
	w.Call("emendo/changes/list", params, &r)
	return r.ChangeSets
}

// Resolved is the result of a decision about hunks.
type Resolved struct {
	ChangeSets []lsptest.ChangeSet
	Applied    []string
	Conflicts  []struct{ HunkID, Reason string }
}

// Resolve decides hunks and returns the answer.
func (w *World) Resolve(decisions ...Obj) Resolved {
	w.Helper()
	var r Resolved
	w.Call("emendo/changes/resolve", Obj{"decisions": decisions}, &r)
	return r
}

// States returns the states of the hunks of the only change set.
func (w *World) States() string {
	w.Helper()
	var l []string
	for _, h := range w.Sets(nil)[0].Files[0].Hunks {
		l = append(l, h.State)
	}
	return strings.Join(l, " ")
}

// CodeAction is a code action that the server offers.
type CodeAction struct {
	Title       string          `json:"title"`
	Kind        string          `json:"kind"`
	IsPreferred bool            `json:"isPreferred,omitzero"`
	Tags        []int           `json:"tags,omitempty"`
	Edit        json.RawMessage `json:"edit,omitempty"`
	Command     *struct {
		Command   string `json:"command"`
		Arguments []any  `json:"arguments"`
	} `json:"command"`
}

// Actions returns the code actions at a text, as requested by the user.
func (w *World) Actions(uri, text string, context Obj) []CodeAction {
	w.Helper()
	if context == nil {
		context = Obj{"diagnostics": []any{}, "triggerKind": 1}
	}
	var l []CodeAction
	w.Call("textDocument/codeAction", Obj{"textDocument": Obj{"uri": uri}, "range": w.RangeOf(uri, text), "context": context}, &l)
	return l
}

// RunAction runs the action of that kind at a text.
func (w *World) RunAction(uri, text, kind string) {
	w.Helper()
	for _, a := range w.Actions(uri, text, nil) {
		if a.Kind == kind {
			var same CodeAction
			w.Call("codeAction/resolve", a, &same)
			w.Call("workspace/executeCommand", Obj{"command": a.Command.Command, "arguments": a.Command.Arguments}, nil)
			return
		}
	}
	w.Fatalf("no action %s at %q", kind, text)
}

// Notify sends a notification to the server.
func (w *World) Notify(method string, params any) {
	w.Helper()
	if err := w.Editor.Notify(method, params); err != nil {
		w.Error(err)
	}
	synctest.Wait()
}
