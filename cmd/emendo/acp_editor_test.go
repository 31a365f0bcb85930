package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/acp/acptest"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/lsptest"
)

// editor starts an editor whose open files other processes can see.
func (w *world) editor() visitor {
	w.t.Helper()
	v := w.edit()
	for { // until it is announced
		if l, err := filepath.Glob(filepath.Join(w.home, "state", "editors", "[^.]*.json")); err != nil || len(l) > 0 {
			return v
		}
		select {
		case <-w.t.Context().Done():
			w.t.Fatal("the editor was not announced")
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// typed opens a file in an editor if it is not open, and types in it. The server has
// taken it when typed returns.
func (v visitor) typed(uri, old, text string) {
	v.t.Helper()
	if !v.IsOpen(uri) {
		b, err := os.ReadFile(ide.ParseURI(uri).Path())
		if err != nil {
			v.t.Fatal(err)
		}
		v.Open(uri, string(b))
	}
	if old != "" {
		at := strings.Index(v.Text(uri), old)
		v.Type(uri, at, at+len(old), text)
	}
	ask[any](v, "emendo/models/list", nil)
}

// TestACPSeesWhatTheEditorHasOpen: an ACP agent reads the text that an editor of another
// process has open, and edits it there.
func TestACPSeesWhatTheEditorHasOpen(t *testing.T) {
	const disk = "one\ntwo\nthree\n"
	read := geminitest.Call("read_file", `{"file_path":"a.txt"}`)
	for _, tt := range []struct {
		name             string
		before           func(v visitor, uri string)       // the prompt
		calls            []geminitest.Reply                // of the model
		asked            func(v visitor, uri string) error // at the question; nil: nothing
		kind             string                            // of the answer; empty: allow_once
		prompt           string
		buffer, disk     string // after
		undone           string // the buffer, after the user has undone the edit; empty: it is not tried
		reads            string // part of what the model reads
		readsNot         string // and what it does not
		writtenElsewhere bool
	}{
		{
			name:   "unsaved text is read, found, and edited in its buffer",
			before: func(v visitor, uri string) { v.typed(uri, "two", "two, unsaved") },
			calls: []geminitest.Reply{
				geminitest.Do(read, geminitest.Call("grep_search", `{"pattern":"two, un.*"}`)),
				geminitest.Do(editCall("two, unsaved", "TWO")),
			},
			buffer: "one\nTWO\nthree\n", disk: disk, undone: "one\ntwo, unsaved\nthree\n", reads: "two, unsaved", readsNot: "No matches",
		},
		{
			name:   "a file in the prompt is the editor's text",
			before: func(v visitor, uri string) { v.typed(uri, "two", "two, unsaved") }, prompt: "what is in @a.txt",
			buffer: "one\ntwo, unsaved\nthree\n", disk: disk, reads: "two, unsaved",
		},
		{
			name:   "a saved file is edited in its buffer and saved",
			before: func(v visitor, uri string) { v.typed(uri, "", "") }, calls: []geminitest.Reply{geminitest.Do(read), geminitest.Do(editCall("two", "TWO"))},
			buffer: "one\nTWO\nthree\n", disk: "one\nTWO\nthree\n", undone: disk,
		},
		{
			name: "a refused edit changes nothing", kind: "reject_once",
			before: func(v visitor, uri string) { v.typed(uri, "two", "two, unsaved") }, calls: []geminitest.Reply{geminitest.Do(editCall("two, unsaved", "TWO"))},
			buffer: "one\ntwo, unsaved\nthree\n", disk: disk,
		},
		{
			name:   "text that is typed while the user is asked stays",
			before: func(v visitor, uri string) { v.typed(uri, "", "") }, calls: []geminitest.Reply{geminitest.Do(editCall("two", "TWO"))},
			asked:  func(v visitor, uri string) error { v.typed(uri, "one\n", "zero\none\n"); return nil },
			buffer: "zero\none\nTWO\nthree\n", disk: disk,
		},
		{
			name:   "an edit of what the user has typed over is not made",
			before: func(v visitor, uri string) { v.typed(uri, "", "") }, calls: []geminitest.Reply{geminitest.Do(editCall("two", "TWO"))},
			asked:  func(v visitor, uri string) error { v.typed(uri, "two", "2"); return nil },
			buffer: "one\n2\nthree\n", disk: disk, reads: "conflict",
		},
		{
			name:   "a file that is opened while the user is asked is edited in its buffer",
			before: func(visitor, string) {}, calls: []geminitest.Reply{geminitest.Do(editCall("two", "TWO"))},
			asked:  func(v visitor, uri string) error { v.typed(uri, "three", "3"); return nil },
			buffer: "one\nTWO\n3\n", disk: disk,
		},
		{
			name: "a file that is closed without saving is as it is on disk",
			before: func(v visitor, uri string) {
				v.typed(uri, "two", "two, unsaved")
				v.Close(uri)
				ask[any](v, "emendo/models/list", nil)
			},
			calls: []geminitest.Reply{geminitest.Do(read), geminitest.Do(editCall("two", "TWO"))}, disk: "one\nTWO\nthree\n", readsNot: "two, unsaved",
		},
		{
			name:   "a file that is open is overwritten in its buffer",
			before: func(v visitor, uri string) { v.typed(uri, "two", "two, unsaved") },
			calls:  []geminitest.Reply{geminitest.Do(geminitest.Call("write_file", `{"file_path":"a.txt","content":"new\n"}`))},
			buffer: "new\n", disk: disk, undone: "one\ntwo, unsaved\nthree\n",
		},
		{
			name:   "what was edited is saved before a command",
			before: func(v visitor, uri string) { v.typed(uri, "two", "two, unsaved") },
			calls:  []geminitest.Reply{geminitest.Do(editCall("two, unsaved", "TWO")), geminitest.Do(geminitest.Call("run_shell_command", `{"command":"cat a.txt | rev"}`))},
			buffer: "one\nTWO\nthree\n", disk: "one\nTWO\nthree\n", reads: "OWT",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, append(tt.calls, geminitest.Say("ok"))...).trusted()
			w.write("a.txt", disk)
			w.write("other.txt", "another\n")
			uri := string(ide.FileURI(filepath.Join(w.dir, "a.txt")))
			v := w.editor()
			tt.before(v, uri)
			c := w.acp()
			c.Permit = func(p acptest.Permission) string {
				if tt.asked != nil {
					if err := tt.asked(v, uri); err != nil {
						t.Error(err)
					}
				}
				if tt.kind == "" {
					tt.kind = "allow_once"
				}
				return option(tt.kind, nil)(p)
			}
			c.Initialize()
			if tt.prompt == "" {
				tt.prompt = "edit"
			}
			if got := askACP(t, c, w.acpSession(c), tt.prompt); got != "end_turn" {
				t.Errorf("stop reason %q", got)
			}
			if got := v.Text(uri); got != tt.buffer {
				t.Errorf("the buffer is %q, want %q; the model reads %s", got, tt.buffer, w.lastBody())
			}
			if got := w.read("a.txt"); got != tt.disk {
				t.Errorf("the disk has %q, want %q", got, tt.disk)
			}
			if all := w.lastBody(); !strings.Contains(all, tt.reads) || tt.readsNot != "" && strings.Contains(all, tt.readsNot) {
				t.Errorf("the model reads %s", all)
			}
			if tt.undone != "" {
				if label := v.Undo(); v.Text(uri) != tt.undone || !strings.Contains(label, "a.txt") {
					t.Errorf("after undoing %q the buffer is %q", label, v.Text(uri))
				}
			}
			v.leave()
		})
	}
}

// TestACPAndTheEditorShareASession: an editor and an ACP client have one session open,
// and take turns in it. Who comes second while a turn runs is told so, and nothing that
// happened is lost or shown twice.
func TestACPAndTheEditorShareASession(t *testing.T) {
	hold := make(chan struct{})
	held := geminitest.Say("first answer")
	held.Hold = hold
	w := newWorld(t, held, geminitest.Say("second answer"), geminitest.Say("third answer")).trusted()
	v := w.editor()
	id := ask[oneSession](v, "emendo/session/new", nil).Session.SessionID
	turn := v.begin(id, "first prompt")
	v.until("the prompt", func(s lsptest.Seen) bool { return len(s.Updates) > 0 })
	c := w.acp()
	c.Initialize()
	var list struct {
		Sessions []struct{ SessionID, Title string }
	}
	c.Must("session/list", params{"cwd": w.dir}, &list)
	if len(list.Sessions) != 1 || list.Sessions[0].SessionID != id {
		t.Fatalf("the client lists %+v", list.Sessions)
	}
	var opened struct {
		Meta struct{ Emendo struct{ Elsewhere bool } } `json:"_meta"`
	}
	c.Must("session/load", openParams(id, w.dir), &opened)
	if !opened.Meta.Emendo.Elsewhere {
		t.Error("the client is not told that a turn runs elsewhere")
	}
	err := c.Call("session/prompt", promptParams(id, "too early"), nil)
	wantFailure(t, err, -32803, "busy")
	if !strings.Contains(err.Error(), "in another process") {
		t.Errorf("the client is told %v", err)
	}
	wantFailure(t, c.Call("session/delete", params{"sessionId": id}, nil), -32803, "busy")
	close(hold)
	if end := <-turn; end.StopReason != "end_turn" {
		t.Errorf("the editor's turn ended as %+v", end)
	}
	if got := askACP(t, c, id, "second prompt"); got != "end_turn" {
		t.Errorf("the client's turn ended as %s", got)
	}
	if body := w.lastBody(); !strings.Contains(body, "first answer") || strings.Contains(body, "too early") {
		t.Errorf("in the client's turn the model reads %s", body)
	}
	if end := <-v.begin(id, "third prompt"); end.StopReason != "end_turn" {
		t.Errorf("the editor's second turn ended as %+v", end)
	}
	if body := w.lastBody(); !strings.Contains(body, "first answer") || !strings.Contains(body, "second answer") {
		t.Errorf("in the editor's second turn the model reads %s", body)
	}
	// Each shows the other's turns in order, once, in one numbering.
	want := "first prompt|first answer|second prompt|second answer|third prompt|third answer"
	var last int64
	var l []string
	for _, u := range v.Seen().Updates {
		if u.Seq != last+1 {
			t.Errorf("in the editor update %d follows %d", u.Seq, last)
		}
		if last = u.Seq; u.Kind() == "user_message_chunk" || u.Kind() == "agent_message_chunk" {
			l = append(l, u.Text())
		}
	}
	if got := strings.Join(l, "|"); got != want {
		t.Errorf("the editor shows %s", got)
	}
	from := len(c.Updates())
	c.Must("session/load", openParams(id, w.dir), nil)
	last, l = 0, nil
	for _, u := range c.Updates()[from:] {
		if n := u.Meta.Emendo.Seq; n != 0 && n <= last {
			t.Errorf("in the client update %d follows %d", n, last)
		} else if n != 0 {
			last = n
		}
		if k := u.Update.SessionUpdate; k == "user_message_chunk" || k == "agent_message_chunk" {
			l = append(l, u.Text())
		}
	}
	if got := strings.Join(l, "|"); got != want {
		t.Errorf("the client shows %s", got)
	}
	v.leave()
}
