package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
)

type params = map[string]any

// visitor is an editor with the plugin and a server in a separate process.
type visitor struct {
	*lsptest.Editor
	t *testing.T
}

// edit starts an editor in the workspace.
func (w *world) edit() visitor {
	w.t.Helper()
	e, err := lsptest.Start(lsptest.Recorded("plugin"), w.dir, func(ctx context.Context, r io.Reader, out io.Writer) error {
		c := w.start(ctx, "lsp")
		in, err := c.StdinPipe()
		if err != nil {
			return err
		}
		c.Stdout = out
		if err := c.Start(); err != nil {
			return err
		}
		go func() { _, _ = io.Copy(in, r) }() // until the editor hangs up at the end of the process
		err = c.Wait()
		if pipe, ok := out.(io.Closer); ok {
			err = errors.Join(err, pipe.Close()) // as at the end of a process
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return visitor{e, w.t}
}

// ask makes a request, which must be answered with a result.
func ask[T any](v visitor, method string, p params) (result T) {
	v.t.Helper()
	if err := v.Call(v.t.Context(), method, p, &result); err != nil {
		v.t.Fatalf("%s: %v", method, err)
	}
	return result
}

type oneSession struct{ Session acp.SessionInfo }

type sets struct{ ChangeSets []lsptest.ChangeSet }

type turnEnd struct{ TurnID, StopReason string }

func text(s string) []params { return []params{{"type": "text", "text": s}} }

// begin prompts without waiting for the end of the turn.
func (v visitor) begin(id, prompt string) <-chan turnEnd {
	done := make(chan turnEnd, 1)
	go func() {
		var end turnEnd
		if err := v.Call(v.t.Context(), "emendo/session/prompt", params{"sessionId": id, "prompt": text(prompt)}, &end); err != nil {
			v.t.Error(err)
		}
		done <- end
	}()
	return done
}

// until waits until f accepts the messages of the server.
func (v visitor) until(what string, f func(lsptest.Seen) bool) {
	v.t.Helper()
	for !f(v.Seen()) {
		select {
		case <-v.t.Context().Done():
			v.t.Fatalf("timed out waiting for %s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (v visitor) leave() {
	v.t.Helper()
	if err := v.End(); err != nil {
		v.t.Error(err)
	}
}

// replayed loads a session and returns its text and its change sets.
func (v visitor) replayed(id string) (said string, l []lsptest.ChangeSet) {
	v.t.Helper()
	ask[oneSession](v, "emendo/session/load", params{"sessionId": id})
	var last int64
	for _, u := range v.Seen().Updates {
		if u.SessionID != id || !u.Replay {
			continue
		}
		if u.Seq <= last {
			v.t.Errorf("update %d comes after %d", u.Seq, last)
		}
		last = u.Seq
		said += u.Text() + "|"
	}
	return said, ask[sets](v, "emendo/changes/list", params{"sessionId": id}).ChangeSets
}

func (w *world) lastBody() string {
	l := w.model.Requests()
	return string(l[len(l)-1].Body)
}

const decided = "the user decided on your edits"

const makeItTwo = `{"file_path": "a.txt", "instruction": "two", "old_string": "one\n", "new_string": "two\n"}`

func TestAnEditorsSessionContinuesHeadlessAndBack(t *testing.T) {
	stalls := geminitest.Reply{Events: []geminitest.Event{geminitest.Text("Proposed.")}, End: servertest.Stall}
	w := newWorld(t,
		geminitest.Do(geminitest.Call("replace", makeItTwo)), stalls,
		geminitest.Say("Latest."), geminitest.Say("First."), geminitest.Say("By id."), geminitest.Say("Back."))
	w.write("a.txt", "one\n")
	e := w.edit()
	id := ask[oneSession](e, "emendo/session/new", nil).Session.SessionID
	turn := e.begin(id, "make it two")
	e.until("the answer after the proposal", func(s lsptest.Seen) bool {
		return len(s.ChangeSets) > 0 && slices.ContainsFunc(s.Updates, func(u lsptest.Update) bool { return u.Text() == "Proposed." })
	})
	if err := e.Notify("emendo/session/cancel", params{"sessionId": id}); err != nil {
		t.Fatal(err)
	}
	if end := <-turn; end.StopReason != "cancelled" {
		t.Errorf("the turn ended as %+v", end)
	}
	e.leave()

	for _, which := range []string{"latest", "1", id} {
		a := w.run("-p", "go on", "--resume", which, "--output-format", "json").answer(t)
		if a.SessionID != id || a.Error != nil {
			t.Errorf("--resume %s continued %+v", which, a)
		}
	}
	if body := w.lastBody(); !strings.Contains(body, "make it two") || w.read("a.txt") != "one\n" {
		t.Errorf("the file is %q, and the model was sent %s", w.read("a.txt"), body)
	}

	e = w.edit()
	defer e.leave()
	said, l := e.replayed(id)
	for _, want := range []string{"make it two", "Latest.", "First.", "By id."} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not shown: %s", want, said)
		}
	}
	if len(l) != 1 || l[0].State != "pending" || l[0].Files[0].Hunks[0].NewText != "two\n" {
		t.Fatalf("the change sets are %+v", l)
	}
	ask[any](e, "emendo/changes/resolve", params{"decisions": []params{{"changeSetId": l[0].ChangeSetID, "action": "accept"}}})
	if got := w.read("a.txt"); got != "two\n" {
		t.Errorf("after it was accepted the file is %q", got)
	}
	if end := <-e.begin(id, "and now?"); end.StopReason != "end_turn" || !strings.Contains(w.lastBody(), decided) {
		t.Errorf("ended as %+v; the decision is sent: %t", end, strings.Contains(w.lastBody(), decided))
	}
}

func TestAHeadlessSessionContinuesInTheEditorAndBack(t *testing.T) {
	w := newWorld(t, geminitest.Do(geminitest.Call("replace", makeItTwo)), geminitest.Say("Done."), geminitest.Say("Here."), geminitest.Say("And there."))
	w.write("a.txt", "one\n")
	w.run("-p", "make it two", "--approval-mode", "auto_edit", "--session-id", "mine").wantCode(t, 0)
	e := w.edit()
	listed := ask[struct{ Sessions []acp.SessionInfo }](e, "emendo/session/list", params{"cwd": w.dir, "query": "TWO"}).Sessions
	if len(listed) != 1 || listed[0].SessionID != "mine" || listed[0].Mode != "auto_edit" {
		t.Errorf("listed are %+v", listed)
	}
	said, l := e.replayed("mine")
	if !strings.Contains(said, "make it two|") || !strings.Contains(said, "Done.|") {
		t.Errorf("shown is %s", said)
	}
	if len(l) != 1 || l[0].State != "accepted" {
		t.Fatalf("the change sets are %+v", l)
	}
	ask[any](e, "emendo/changes/resolve", params{"decisions": []params{{"changeSetId": l[0].ChangeSetID, "action": "reject"}}})
	if got := w.read("a.txt"); got != "one\n" {
		t.Errorf("after it was undone the file is %q", got)
	}
	if end := <-e.begin("mine", "go on here"); end.StopReason != "end_turn" {
		t.Errorf("it ended as %+v", end)
	}
	e.leave()
	r := w.run("-p", "go on there", "--resume", "latest")
	if body := w.lastBody(); r.stdout != "And there.\n" || !strings.Contains(body, "go on here") || strings.Count(body, decided) != 1 {
		t.Errorf("printed %q, sent %s", r.stdout, body)
	}
}

func TestASecondProcessCanForkABusySession(t *testing.T) {
	stalls := geminitest.Reply{Events: []geminitest.Event{geminitest.Text("A beginning")}, End: servertest.Stall}
	w := newWorld(t, geminitest.Say("One."), stalls, geminitest.Say("In the copy."), geminitest.Say("After all."))
	first := w.edit()
	id := ask[oneSession](first, "emendo/session/new", nil).Session.SessionID
	<-first.begin(id, "question one")
	turn := first.begin(id, "question two")
	first.until("the beginning", func(s lsptest.Seen) bool {
		return slices.ContainsFunc(s.Updates, func(u lsptest.Update) bool { return u.Text() == "A beginning" })
	})
	r := w.run("-p", "question three", "--resume", "latest")
	r.wantCode(t, exitFailure)
	r.wantLine(t, "a turn of this session is running")

	second := w.edit()
	err := second.Call(t.Context(), "emendo/session/prompt", params{"sessionId": id, "prompt": text("question three")}, nil)
	if err == nil || !strings.Contains(err.Error(), "a turn of this session is running") {
		t.Errorf("a second prompt: %+v", err)
	}
	copied := ask[oneSession](second, "emendo/session/fork", params{"sessionId": id}).Session
	if end := <-second.begin(copied.SessionID, "question three"); end.StopReason != "end_turn" || copied.Turns != 1 {
		t.Errorf("the copy %+v ended as %+v", copied, end)
	}
	if body := w.lastBody(); !strings.Contains(body, "question one") || strings.Contains(body, "question two") {
		t.Errorf("in the copy the model was sent %s", body)
	}
	second.leave()
	if err := first.Notify("emendo/session/cancel", params{"sessionId": id}); err != nil {
		t.Fatal(err)
	}
	<-turn
	if r := w.run("-p", "question three", "--resume", id); r.stdout != "After all.\n" {
		t.Errorf("after the turn it printed %q and %q", r.stdout, r.stderr)
	}
	first.leave()
}
