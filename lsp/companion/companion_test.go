package companion_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/lsp"
	"github.com/emendo-dev/emendo/lsp/lsptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type obj = map[string]any

const text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"

// world is an editor with a server, in a workspace with a.txt.
type world struct {
	*testing.T
	dir, temp string
	e         *lsptest.Editor
	on        atomic.Bool // the user's setting
}

// newWorld starts an editor that has turned the companion on, if on.
func newWorld(t *testing.T, on bool) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, dir: dir, temp: t.TempDir()}
	t.Setenv("TMPDIR", w.temp)
	w.on.Store(on)
	w.write("a.txt", text)
	w.write(".env", "KEY=1\n")
	if w.e, err = lsptest.Start(lsptest.Recorded("plugin"), dir, w.serve); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.e.End(); err != nil {
			t.Error(err)
		}
		if files := w.announcements(); len(files) > 0 {
			t.Errorf("left behind: %v", files)
		}
	})
	return w
}

func (w *world) serve(ctx context.Context, r io.Reader, out io.Writer) error {
	return lsp.Serve(ctx, r, out, lsp.Options{Version: "1.2.3", Start: w.host})
}

func (w *world) host(_ context.Context, s lsp.Start) (*lsp.Host, error) {
	var n atomic.Int64
	newID := func() string { return fmt.Sprint("id-", n.Add(1)) }
	l := ledger.New(ledger.Options{Workspace: s.Workspace, Editor: s.Editor, NewID: newID})
	a := agent.New(state.Options{
		Client: s.Client, Workspace: s.Workspace, Ledger: l, Editor: s.Editor, Store: transcript.NewStore(filepath.Join(w.temp, "state")),
		Choices: state.Choices{
			Model: "m", Generator: func(string) (model.Generator, string, error) { return &modeltest.Script{}, "m", nil },
		},
		Trusted: func(string) bool { return true }, NewID: newID, OutputDir: filepath.Join(w.temp, "out"), Checkpoints: rewind.NewStore(filepath.Join(w.temp, "checkpoints"), rewind.Git{}),
	})
	return &lsp.Host{Agent: a, Ledger: l, Program: serving{w: w, workspace: s.Workspace}}, nil
}

// serving is a program with the companion, if that is on.
type serving struct {
	lsptest.Program
	w         *world
	workspace *ide.Workspace
}

func (p serving) Companion() bool { return p.w.on.Load() }

func (p serving) Close() error { return p.workspace.Snapshot().Tree().Close() }

func (w *world) write(name, text string) {
	w.Helper()
	if err := os.WriteFile(w.path(name), []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

func (w *world) uri(name string) string { return string(ide.FileURI(w.path(name))) }

// call sends a request of the editor's.
func (w *world) call(method string, params, result any) {
	w.Helper()
	if err := w.e.Call(w.Context(), method, params, result); err != nil {
		w.Fatalf("%s: %v", method, err)
	}
}

func (w *world) notify(method string, params any) {
	w.Helper()
	if err := w.e.Notify(method, params); err != nil {
		w.Fatal(err)
	}
}

func (w *world) announcements() []string {
	files, err := filepath.Glob(filepath.Join(w.temp, "gemini", "ide", "gemini-ide-server-*-*.json"))
	if err != nil {
		w.Fatal(err)
	}
	return files
}

// announced is the content of the file by which programs find the companion.
type announced struct {
	Port          int
	WorkspacePath string
	AuthToken     string
	IDEInfo       struct{ Name, DisplayName string }
}

// find waits for the announcement.
func (w *world) find() (a announced) {
	w.Helper()
	for w.Context().Err() == nil {
		files := w.announcements()
		if len(files) == 0 {
			w.call("emendo/session/list", obj{}, nil) // a moment of the server's
			continue
		}
		b, err := os.ReadFile(files[0])
		if err != nil || len(b) == 0 {
			continue // it is being written
		}
		if err := json.Unmarshal(b, &a); err != nil {
			w.Fatal(err)
		}
		if fi, err := os.Stat(files[0]); err != nil || fi.Mode().Perm() != 0o600 {
			w.Errorf("the announcement has mode %v, %v", fi.Mode(), err)
		}
		return a
	}
	w.Fatal("no announcement")
	return a
}

func (w *world) focus(active string, selection ide.Range, open ...string) {
	editors := []obj{}
	for i, o := range open {
		editors = append(editors, obj{"uri": w.uri(o), "lastFocused": 100 - i})
	}
	w.notify("emendo/editor/didChangeContext", obj{"activeEditor": obj{"uri": w.uri(active), "selections": []ide.Range{selection}}, "openEditors": editors})
}

func at(line, from, to uint32) ide.Range {
	return ide.Range{Start: ide.Position{Line: line, Character: from}, End: ide.Position{Line: line, Character: to}}
}

func TestProgramSeesWhatTheEditorShows(t *testing.T) {
	w := newWorld(t, true)
	w.write("b.txt", "b\n")
	w.e.Open(w.uri("a.txt"), "one\nunsaved ßtwo\n")
	w.e.Open(w.uri("b.txt"), "b\n")
	w.e.Open(w.uri(".env"), "KEY=1\n")
	w.focus("a.txt", at(1, 0, 9), "a.txt", ".env", "b.txt")
	p := w.connect()
	p.awaitContext("a.txt active 2:10 \"unsaved ß\"\nb.txt\n")
	w.focus("b.txt", at(0, 1, 1), "b.txt", "a.txt")
	p.awaitContext("b.txt active 1:2\na.txt\n")
	w.focus(".env", at(0, 0, 3), ".env", "b.txt", "a.txt")
	p.awaitContext("b.txt\na.txt\n")
	a := w.find()
	if got := []string{a.WorkspacePath, a.IDEInfo.Name, a.IDEInfo.DisplayName}; got[0] != w.dir || got[1] == "" || got[2] == "" {
		t.Errorf("announced as %q", got)
	}
}

// change returns the only change set.
func (w *world) change() lsptest.ChangeSet {
	w.Helper()
	var answer struct{ ChangeSets []lsptest.ChangeSet }
	w.call("emendo/changes/list", obj{}, &answer)
	if len(answer.ChangeSets) == 0 {
		w.Fatal("nothing is proposed")
	}
	return answer.ChangeSets[len(answer.ChangeSets)-1]
}

// decide decides the hunks in order: + accepts and - rejects.
func (w *world) decide(how string) {
	w.Helper()
	cs := w.change()
	var ds []obj
	for i, h := range cs.Files[0].Hunks {
		action := "accept"
		if how[i] == '-' {
			action = "reject"
		}
		ds = append(ds, obj{"changeSetId": cs.ChangeSetID, "hunkId": h.HunkID, "action": action})
	}
	if len(ds) != len(how) {
		w.Fatalf("%d hunks, want %d", len(ds), len(how))
	}
	w.call("emendo/changes/resolve", obj{"decisions": ds}, nil)
}

func TestChangesAreReviewed(t *testing.T) {
	changed := strings.NewReplacer("two", "2", "nine", "9").Replace(text)
	for _, tt := range []struct {
		name   string
		buffer string // in the editor; empty: the file is closed
		decide string
		want   string // the accepted text; empty: all was rejected
	}{
		{name: "all", decide: "++", want: changed},
		{name: "one", decide: "-+", want: strings.Replace(text, "nine", "9", 1)},
		{name: "none", decide: "--"},
		{name: "in the editor", buffer: text, decide: "+-", want: strings.Replace(text, "two", "2", 1)},
		{name: "beside unsaved text", buffer: strings.Replace(text, "five", "5", 1), decide: "+-", want: strings.NewReplacer("two", "2", "five", "5").Replace(text)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, true)
			if tt.buffer != "" {
				w.e.Open(w.uri("a.txt"), text)
				if tt.buffer != text {
					w.e.Type(w.uri("a.txt"), 0, len(text), tt.buffer)
				}
			}
			p := w.connect()
			if out, failed := p.tool("openDiff", obj{"filePath": w.path("a.txt"), "newContent": changed}); out != "" || failed {
				t.Fatalf("openDiff: %q, failed %v", out, failed)
			}
			w.decide(tt.decide)
			if tt.want == "" {
				p.await("ide/diffRejected", nil)
				return
			}
			var got struct{ FilePath, Content string }
			if err := json.Unmarshal(p.await("ide/diffAccepted", nil), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got.Content, tt.want); diff != "" || got.FilePath != w.path("a.txt") {
				t.Errorf("accepted %s: %s", got.FilePath, diff)
			}
			if tt.buffer != "" && w.e.Text(w.uri("a.txt")) != tt.want {
				t.Errorf("the editor has %q", w.e.Text(w.uri("a.txt")))
			}
		})
	}
}

func TestProgramWithdrawsItsChange(t *testing.T) {
	w := newWorld(t, true)
	p := w.connect()
	changed := strings.NewReplacer("two", "2", "nine", "9").Replace(text)
	p.tool("openDiff", obj{"filePath": w.path("a.txt"), "newContent": changed})
	cs := w.change()
	w.call("emendo/changes/resolve", obj{"decisions": []obj{{"changeSetId": cs.ChangeSetID, "hunkId": cs.Files[0].Hunks[0].HunkID, "action": "reject"}}}, nil)
	out, failed := p.tool("closeDiff", obj{"filePath": w.path("a.txt"), "suppressNotification": true})
	var got struct{ Content *string }
	if err := json.Unmarshal([]byte(out), &got); err != nil || failed || got.Content == nil || *got.Content != strings.Replace(text, "nine", "9", 1) {
		t.Errorf("closeDiff: %s, failed %v, %v", out, failed, err)
	}
	if s := w.change().State; s != "rejected" {
		t.Errorf("the change is %s", s)
	}
	if out, failed := p.tool("closeDiff", obj{"filePath": w.path("a.txt")}); out != `{"content":null}` || failed {
		t.Errorf("nothing is shown any more: %s, failed %v", out, failed)
	}
	if b, err := os.ReadFile(w.path("a.txt")); err != nil || string(b) != text {
		t.Errorf("the file has %q, %v", b, err)
	}
}

func TestChangesThatCannotBeShown(t *testing.T) {
	w := newWorld(t, true)
	w.e.Open(w.uri("a.txt"), text)
	w.e.Type(w.uri("a.txt"), 4, 7, "unsaved")
	p := w.connect()
	for _, tt := range []struct{ name, path, content, says string }{
		{"over unsaved text", w.path("a.txt"), strings.Replace(text, "two", "2", 1), "unsaved text"},
		{"outside", filepath.Join(w.temp, "x.txt"), "x\n", "outside"},
		{"git's own", w.path(".git/config"), "x\n", "protected"},
		{"nothing changes", w.path("a.txt"), text, "changes nothing"},
	} {
		if out, failed := p.tool("openDiff", obj{"filePath": tt.path, "newContent": tt.content}); !failed || !strings.Contains(out, tt.says) {
			t.Errorf("%s: %q, failed %v", tt.name, out, failed)
		}
	}
}

func TestOnlyProgramsWithTheTokenAreServed(t *testing.T) {
	w := newWorld(t, true)
	a := w.find()
	for _, tt := range []struct {
		name string
		edit func(*http.Request)
		want int
	}{
		{"no token", func(r *http.Request) { r.Header.Del("Authorization") }, http.StatusUnauthorized},
		{"another token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, http.StatusUnauthorized},
		{"a web page", func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1") }, http.StatusForbidden},
		{"another host", func(r *http.Request) { r.Host = fmt.Sprint("example.com:", a.Port) }, http.StatusForbidden},
		{"another path", func(r *http.Request) { r.URL.Path = "/" }, http.StatusNotFound},
		{"no session", func(r *http.Request) { r.Method = http.MethodGet }, http.StatusBadRequest},
		{"an unknown session", func(r *http.Request) { r.Header.Set("Mcp-Session-Id", "x") }, http.StatusNotFound},
		{"no message", func(*http.Request) {}, http.StatusBadRequest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fmt.Sprintf("http://127.0.0.1:%d/mcp", a.Port), strings.NewReader("{"))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+a.AuthToken)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			tt.edit(r)
			res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if b, _ := io.ReadAll(res.Body); res.StatusCode != tt.want {
				t.Errorf("%s: %s", res.Status, b)
			}
		})
	}
}

func TestCompanionIsOffUntilTheUserTurnsItOn(t *testing.T) {
	w := newWorld(t, false)
	w.call("emendo/session/list", obj{}, nil)
	if files := w.announcements(); len(files) > 0 {
		t.Fatalf("announced: %v", files)
	}
	w.on.Store(true)
	w.notify("emendo/settings/didChange", obj{"settings": obj{"companion": obj{"enabled": true}}})
	p := w.connect()
	p.awaitContext("")
	w.on.Store(false)
	w.notify("emendo/settings/didChange", obj{"settings": obj{}})
	for len(w.announcements()) > 0 && t.Context().Err() == nil {
		w.call("emendo/session/list", obj{}, nil)
	}
}
