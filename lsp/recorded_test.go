package lsp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// recording is an edit of a server as a real editor applied and reported it.
type recording struct {
	Name, Initial, Final string

	Encoding ide.Encoding
	Version  int32
	Edits    []struct {
		Range   ide.Range
		NewText string
	}
	Messages []struct {
		Response  *struct{ Result, Error json.RawMessage }
		DidChange map[string]any
	}
}

func recordings(t *testing.T, file string) []recording {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var l []recording
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, len(b))
	for lines.Scan() {
		var r recording
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		l = append(l, r)
	}
	return l
}

// wanted returns the text after the requested edit.
func (r recording) wanted(t *testing.T) string {
	t.Helper()
	text := ide.NewText(r.Initial)
	var splices []ide.Splice
	for _, e := range r.Edits {
		a, b, err := text.Offsets(e.Range, r.Encoding)
		if err != nil {
			t.Fatal(err)
		}
		splices = append(splices, ide.Splice{A: a, B: b, Text: e.NewText})
	}
	return text.Replace(splices).String()
}

// All recorded ways in which real editors report a server's edit: at the first, last
// and only line, with and without a final newline, and in empty files. The edit is sent
// once, the editor has its text, and its hunks become accepted directly.
func TestRecordedEditorsGetTheirEditsAccepted(t *testing.T) {
	files, err := filepath.Glob("../ide/ledger/testdata/editors/*.jsonl")
	if err != nil || len(files) < 5 {
		t.Fatalf("the recordings are %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			rs := recordings(t, file)
			play(t, worldtest.Plugin.With("general.positionEncodings", []any{string(rs[0].Encoding)}), nil, func(w *world) {
				w.Sets(nil) // makes the host
				for i, r := range rs {
					w.recorded(fmt.Sprintf("%d.txt", i), r)
				}
			})
		})
	}
}

// recorded plays one recording.
func (w *world) recorded(name string, r recording) {
	w.Helper()
	bad := func(format string, args ...any) {
		w.Helper()
		w.Errorf("%s: %s", r.Name, fmt.Sprintf(format, args...))
	}
	w.Write(name, r.Initial)
	uri := w.URI(name)
	doc := worldtest.Obj{"uri": uri, "languageId": "text", "version": r.Version, "text": r.Initial}
	if err := w.Editor.Notify("textDocument/didOpen", worldtest.Obj{"textDocument": doc}); err != nil {
		w.Fatal(err)
	}
	synctest.Wait()
	f, err := w.Ledger.View(w.Context(), "s", filepath.Join(w.Dir, name))
	if err != nil {
		w.Fatal(err)
	}
	want := r.wanted(w.T)
	cs, err := w.Ledger.Propose(w.Context(), ledger.Proposal{
		SessionID: "s", Title: r.Name, Files: []ledger.Proposed{{Path: f.Path, Op: ledger.Modify, Base: f, New: want}},
	})
	if err != nil {
		w.Fatalf("%s: %v", r.Name, err)
	}
	synctest.Wait()
	sent := 0
	w.Editor.Apply = func(context.Context, json.RawMessage) (any, error) {
		if sent++; sent > 1 {
			return worldtest.Obj{"applied": false, "failureReason": "again"}, nil
		}
		return w.answer(uri, r)
	}
	before := len(w.Editor.Seen().ChangeSets)
	w.Resolve(worldtest.Obj{"changeSetId": cs.ID, "action": "accept"})
	if sent != 1 {
		bad("the edit was sent %d times", sent)
	}
	w.Advance()
	if got := w.Started.Workspace.Snapshot().Document(ide.ParseURI(uri)).Text.String(); got != r.Final {
		bad("the text is %q, want %q", got, r.Final)
	}
	updates := w.Editor.Seen().ChangeSets[before:]
	if len(updates) == 0 {
		bad("no update was sent")
	}
	if r.Final == r.Initial { // the editor cannot apply it
		if h := updates[len(updates)-1].Files[0].Hunks[0]; h.State == "accepted" {
			bad("nothing was changed, and its hunk is accepted")
		}
		return
	}
	for _, cs := range updates {
		for _, h := range cs.Files[0].Hunks {
			if h.State != "accepted" || h.Edited {
				bad("%q to %q, which became %q: a hunk is %s, edited: %v, %s", r.Initial, want, r.Final, h.State, h.Edited, h.Reason)
			}
		}
	}
}

// answer sends the editor's recorded messages in order, up to its response; the rest
// follows after the server has handled the response.
func (w *world) answer(uri string, r recording) (any, error) {
	for i, m := range r.Messages {
		if m.Response != nil {
			time.AfterFunc(50*time.Millisecond, func() { w.report(uri, r, i+1) })
			return m.Response.Result, nil
		}
		w.report(uri, r, i)
	}
	return nil, fmt.Errorf("%s: no response was recorded", r.Name)
}

// report sends the didChange of message i and those that follow it after the response.
func (w *world) report(uri string, r recording, i int) {
	if i >= len(r.Messages) || r.Messages[i].DidChange == nil {
		return
	}
	c := r.Messages[i].DidChange
	err := w.Editor.Notify("textDocument/didChange", worldtest.Obj{"textDocument": worldtest.Obj{"uri": uri, "version": c["version"]}, "contentChanges": c["contentChanges"]})
	if err != nil && !strings.Contains(err.Error(), "closed") {
		w.Error(err)
	}
	for j := range i {
		if r.Messages[j].Response != nil { // one at a time
			time.AfterFunc(50*time.Millisecond, func() { w.report(uri, r, i+1) })
		}
	}
}

// Eglot reports no changes while it waits for the result of a command, so the command
// returns before the edit is made, and the call's result says "applied".
func TestCommandDoesNotWaitForTheEditor(t *testing.T) {
	play(t, lsptest.Recorded("eglot"), []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world) {
		u := w.Open()
		waiting := make(chan struct{})
		w.Editor.OnEdit = func(int, ide.Edit) idetest.Answer {
			return idetest.Answer{Before: func() { <-waiting }}
		}
		w.Command("emendo.ask", worldtest.Obj{"prompt": "Change it"}, nil)
		var n struct{ Hunks, Files int }
		w.Command("emendo.acceptAll", nil, &n)
		if n.Hunks != 2 || n.Files != 1 {
			t.Errorf("it is answered %+v", n)
		}
		if w.Editor.Text(u) != worldtest.MainGo {
			t.Error("the edit is made before the command is answered")
		}
		close(waiting)
		w.Advance()
		if len(w.Editor.Edits()) != 1 || w.States() != "accepted accepted" {
			t.Errorf("%d edits; they are %s", len(w.Editor.Edits()), w.States())
		}
		if sent := w.Request(1); !strings.Contains(sent, "applied") || strings.Contains(sent, "Nothing was changed") {
			t.Errorf("the model got %s", sent)
		}
		if l := w.Editor.Seen().Messages; !slices.Contains(l, "emendo: Accepted 2 changes in 1 file.") {
			t.Errorf("notices %q", l)
		}
	})
}

// Neovim 0.10.4 adds an empty line to text appended at the end of a file, in
// two changes around the response.
func TestAppendedTextIsReportedAsApplied(t *testing.T) {
	added := worldtest.MainGo + "\nfunc c() int { return 3 }\n"
	reply := modeltest.Reply{modeltest.Call("write_file", fmt.Sprintf(`{"file_path":"main.go","content":%q}`, added))}
	play(t, worldtest.Plugin, []modeltest.Reply{reply, worldtest.Say("Done.")}, func(w *world) {
		u := w.Open()
		wait := w.Prompting(w.Context(), w.Session(nil), "Change it")
		sent := 0
		w.Editor.Apply = func(context.Context, json.RawMessage) (any, error) {
			sent++
			change := func(text string) {
				if err := w.Editor.Notify("textDocument/didChange", worldtest.Obj{"textDocument": worldtest.Obj{"uri": u, "version": 1 + sent}, "contentChanges": []worldtest.Obj{{"text": text}}}); err != nil {
					t.Error(err)
				}
			}
			change(strings.TrimSuffix(added, "}\n"))
			time.AfterFunc(time.Second, func() { change(added + "\n") })
			return worldtest.Obj{"applied": true}, nil
		}
		w.Resolve(worldtest.Obj{"changeSetId": w.Sets(nil)[0].ChangeSetID, "action": "accept"})
		if _, err := wait(); err != nil {
			t.Error(err)
		}
		if sent != 1 || w.States() != "accepted" {
			t.Errorf("sent %d times; it is %s", sent, w.States())
		}
		if sent := w.Request(1); !strings.Contains(sent, "applied") || strings.Contains(sent, "Nothing was changed") {
			t.Errorf("the model got %s", sent)
		}
	})
}

// acceptAll applies to the most recently used session, whose changes the user saw last.
func TestAcceptAllLeavesOtherSessionsAlone(t *testing.T) {
	other := modeltest.Reply{modeltest.Call("write_file", `{"file_path":"other.go","content":"package other\n"}`)}
	play(t, worldtest.Plugin, []modeltest.Reply{other, worldtest.TwoHunks(), worldtest.Say("Done."), worldtest.Say("Done.")}, func(w *world) {
		w.Open()
		w.Prompting(w.Context(), w.Session(nil), "Make it")
		wait := w.Prompting(w.Context(), w.Session(nil), "Change it")
		var n struct{ Hunks, Files int }
		w.Command("emendo.acceptAll", nil, &n)
		if _, err := wait(); err != nil {
			t.Error(err)
		}
		if n.Hunks != 2 || n.Files != 1 {
			t.Errorf("it is answered %+v", n)
		}
		if l := w.Sets(worldtest.Obj{"state": "pending"}); len(l) != 1 || !strings.HasSuffix(l[0].Files[0].URI, "other.go") {
			t.Errorf("pending are %+v", l)
		}
		w.Command("emendo.rejectAll", worldtest.Obj{"uri": w.URI("other.go")}, &n)
		if n.Hunks != 1 || len(w.Sets(worldtest.Obj{"state": "pending"})) != 0 {
			t.Errorf("rejecting those of the file is answered %+v", n)
		}
	})
}

// Rejecting a set whose changes are all accepted undoes them.
func TestRejectingAnAcceptedSetReportsWhatItUndoes(t *testing.T) {
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world) {
		u := w.Open()
		wait := w.Prompting(w.Context(), w.Session(nil), "Change it")
		id := w.Sets(nil)[0].ChangeSetID
		w.Command("emendo.accept", worldtest.Obj{"changeSetId": id}, nil)
		if _, err := wait(); err != nil {
			t.Error(err)
		}
		var n struct{ Hunks, Files int }
		w.Command("emendo.reject", worldtest.Obj{"changeSetId": id}, &n)
		w.Advance()
		if n.Hunks != 2 || n.Files != 1 || w.Editor.Text(u) != worldtest.MainGo {
			t.Errorf("it is answered %+v, and the text is %q", n, w.Editor.Text(u))
		}
	})
}
