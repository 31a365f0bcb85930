// Package worldtest has what the tests of the packages of lsp share: an editor with a
// server, a workspace and a scripted model.
package worldtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/lsp"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/shell"
	"github.com/emendo-dev/emendo/tools/user"
)

// Main runs the tests of a package and checks that nothing is left running but a worker
// that a client library starts.
func Main(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}

// Obj is a JSON object.
type Obj = map[string]any

// World is an editor with a server, a workspace with main.go, and a scripted
// model.
type World struct {
	*testing.T
	Dir    string
	Model  *modeltest.Script
	Spawn  *sandboxtest.Spawner
	Editor *lsptest.Editor
	NoKey  bool
	Models *Keyed                                             // models of the key; nil: the provider does not list them
	Behind func(name string) (model.Generator, string, error) // the models; nil: the script
	Crash  bool                                               // the agent and its start panic
	Broken error                                              // why the host does not start

	ChatsInState bool               // as in the setting chat.folder
	EditsWait    settings.EditsWait // as in the setting edits.wait; empty: always

	OnCommand func() // called before the client sends one; may be nil

	Supplies func(*state.Session) []state.Supply // of sessions; may be nil
	Hooks    settings.Hooks                      // of the user
	Servers  []client.MCPServer                  // that are configured

	Wire     atomic.Int64 // bytes that the server has sent
	MaxQueue int          // as in [lsp.Options]

	Mu       sync.Mutex
	Trusted  map[string]bool
	Offer    lsp.TrustOffer // of every folder
	ReadOnly bool           // no trust can be stored
	Hold     chan struct{}  // the host starts once this is closed; nil: at once
	Approved bool           // what the folder would start was approved
	Started  lsp.Start      // the input of the last host's start
	Ledger   *ledger.Ledger // of the last host
	Starts   int
	ids      int                             // made, by every host
	disabled map[settings.Disabling][]string // by the user's settings
	agent    *agent.Agent                    // of the last host
}

// MainGo is the text of main.go in most tests.
const MainGo = "package main\n\nfunc a() int { return 1 }\n\n// one\n// two\n// three\n\nfunc b() int { return 2 }\n"

// Play runs f in a bubble with an editor of profile p, and ends the server.
func Play(t *testing.T, p lsptest.Profile, replies []modeltest.Reply, f func(w *World)) {
	t.Helper()
	w := NewWorld(t, replies)
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		w.Start(p)
		defer w.End()
		f(w)
	})
}

// NewWorld returns a world with main.go, in which nothing runs yet.
func NewWorld(t *testing.T, replies []modeltest.Reply) *World {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &World{T: t, Dir: dir, Model: &modeltest.Script{Replies: replies}, Spawn: &sandboxtest.Spawner{}, Trusted: map[string]bool{dir: true}}
	w.Write("main.go", MainGo)
	return w
}

// Start starts a server with an editor of profile p.
func (w *World) Start(p lsptest.Profile) {
	w.Helper()
	e, err := lsptest.Start(p, w.Dir, w.Serve)
	if err != nil {
		w.Fatal(err)
	}
	w.Editor = e
	synctest.Wait()
}

// End ends the server as an editor does.
func (w *World) End() {
	w.Helper()
	if err := w.Editor.End(); err != nil {
		w.Error(err)
	}
}

// Serve runs a server for the editor at the other end of r and out.
func (w *World) Serve(ctx context.Context, r io.Reader, out io.Writer) error {
	return lsp.Serve(ctx, r, counting{out, &w.Wire}, lsp.Options{Version: "1.2.3", Models: []lsp.ModelInfo{{ID: "m", Name: "M"}}, LogFile: filepath.Join(w.Dir, "log"), Start: w.Host, MaxQueue: w.MaxQueue})
}

// counting counts written bytes.
type counting struct {
	io.Writer
	n *atomic.Int64
}

func (c counting) Write(b []byte) (int, error) {
	c.n.Add(int64(len(b)))
	return c.Writer.Write(b)
}

// Close ends the stream, as the end of the server's process would.
func (c counting) Close() error {
	if w, ok := c.Writer.(io.Closer); ok {
		return w.Close()
	}
	return nil
}

// Host does the wiring of package cmd.
func (w *World) Host(_ context.Context, s lsp.Start) (*lsp.Host, error) {
	w.Mu.Lock()
	w.Starts++
	w.Started = s
	broken, hold := w.Broken, w.Hold
	w.Mu.Unlock()
	if hold != nil {
		<-hold
	}
	if w.Crash {
		panic("a bug")
	}
	if broken != nil {
		return nil, broken
	}
	program := program{w: w, start: s}
	newID := func() string {
		w.Mu.Lock()
		defer w.Mu.Unlock()
		w.ids++
		return fmt.Sprintf("id-%d", w.ids)
	}
	l := ledger.New(ledger.Options{Workspace: s.Workspace, Editor: s.Editor, NewID: newID})
	w.Mu.Lock()
	w.Ledger = l
	w.Mu.Unlock()
	set := w.settings()
	a := agent.New(state.Options{
		Client: s.Client, Workspace: s.Workspace, Ledger: l, Editor: s.Editor, Store: transcript.NewStore(filepath.Join(w.Dir, ".state")),
		Choices: state.Choices{
			Model: "m", Generator: w.generator, Settings: &set,
			Tools: []tools.Tool{tools.ReadFile, tools.Replace, tools.WriteFile, user.AskUser, user.ReportFinding, shell.New(shell.Options{Spawner: w.Spawn})},
		},
		Renew: func(c *state.Choices) {
			set := w.settings()
			c.Settings, c.Hooks = &set, hooks.Configured(set)
		},
		Trusted: program.Trusted, NewID: newID, OutputDir: filepath.Join(w.Dir, ".out"), Checkpoints: rewind.NewStore(filepath.Join(w.Dir, ".checkpoints"), rewind.Git{}),
		Supplies: func(s *state.Session) []state.Supply {
			if w.Supplies == nil {
				return nil
			}
			return w.Supplies(s)
		},
	})
	w.Mu.Lock()
	w.agent = a
	w.Mu.Unlock()
	return &lsp.Host{Agent: a, Ledger: l, Program: program, Chats: filepath.Join(w.Dir, ".chats")}, nil
}

// program is the program of a world.
type program struct {
	lsptest.Program
	w     *World
	start lsp.Start
}

func (p program) Trusted(folder string) bool {
	p.w.Mu.Lock()
	defer p.w.Mu.Unlock()
	return p.start.User.Trust() != lsp.Restricted && p.w.Trusted[folder]
}

func (p program) OfferTrust(folder string) (lsp.TrustOffer, error) {
	o := p.w.Offer
	o.Store = trustStore{p.w, folder}
	return o, nil
}

func (p program) SignedIn() bool { return !p.w.NoKey }

func (p program) ChatsOutside() bool { return p.w.ChatsInState }

func (p program) Export(id, format string) (string, error) {
	info, _, err := transcript.NewStore(filepath.Join(p.w.Dir, ".state")).Read(id)
	return format + " of " + info.Title, err
}

func (p program) Close() error { return p.start.Workspace.Snapshot().Tree().Close() }

// trustStore stores decisions about a folder in a world.
type trustStore struct {
	w      *World
	folder string
}

func (s trustStore) Add() error {
	s.w.Mu.Lock()
	defer s.w.Mu.Unlock()
	if s.w.ReadOnly {
		return errors.New("the disk is read-only")
	}
	s.w.Trusted[s.folder] = true
	return nil
}

func (s trustStore) Approve() error {
	s.w.Mu.Lock()
	defer s.w.Mu.Unlock()
	s.w.Approved = true
	return nil
}

func (w *World) generator(name string) (model.Generator, string, error) {
	if w.Crash {
		panic("a bug")
	}
	if w.NoKey {
		return nil, "", &model.Error{Kind: model.Auth, Message: "set GEMINI_API_KEY"}
	}
	if w.Models != nil {
		return w.Models, name, nil
	}
	if w.Behind != nil {
		return w.Behind(name)
	}
	return w.Model, name, nil
}

// Keyed is a scripted model whose provider lists the models of a key.
type Keyed struct {
	*modeltest.Script
	May   []model.Offered
	Asked int
	Hold  chan struct{} // it answers once this is closed; nil: at once
}

// Models implements [model.Lister].
func (k *Keyed) Models(ctx context.Context) ([]model.Offered, error) {
	k.Asked++
	if k.Hold != nil {
		select {
		case <-k.Hold:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return k.May, nil
}

// Write writes a file of the workspace, with its folder.
func (w *World) Write(name, text string) {
	w.Helper()
	path := filepath.Join(w.Dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		w.Fatal(err)
	}
}

// Read returns the text of a file of the workspace.
func (w *World) Read(name string) string {
	w.Helper()
	b, err := os.ReadFile(filepath.Join(w.Dir, name))
	if err != nil {
		w.Fatal(err)
	}
	return string(b)
}

// URI returns the URI of a file of the workspace.
func (w *World) URI(name string) string { return string(ide.FileURI(filepath.Join(w.Dir, name))) }

// Open opens main.go.
func (w *World) Open() string {
	u := w.URI("main.go")
	w.Editor.Open(u, w.Read("main.go"))
	synctest.Wait()
	return u
}

// Typed replaces the only occurrence of a text in a document, as if typed.
func (w *World) Typed(uri, old, text string) {
	w.Helper()
	at := strings.Index(w.Editor.Text(uri), old)
	if at < 0 {
		w.Fatalf("%s does not contain %q", uri, old)
	}
	w.Editor.Type(uri, at, at+len(old), text)
	synctest.Wait()
}

// RangeOf returns the range of the first occurrence of a text in a document.
func (w *World) RangeOf(uri, text string) ide.Range {
	w.Helper()
	d := w.Editor.Workspace.Snapshot().Document(ide.ParseURI(uri))
	at := strings.Index(d.Text.String(), text)
	if at < 0 {
		w.Fatalf("%s does not contain %q", uri, text)
	}
	return d.Text.Range(at, at+len(text), w.Editor.Workspace.Encoding())
}

// Call sends a request, which must not fail.
func (w *World) Call(method string, params, result any) {
	w.Helper()
	if err := w.Editor.Call(w.Context(), method, params, result); err != nil {
		w.Fatalf("%s: %v", method, err)
	}
	synctest.Wait()
}

// Command runs a command, which must not fail.
func (w *World) Command(name string, args, result any) {
	w.Helper()
	if w.OnCommand != nil {
		w.OnCommand()
	}
	if err := w.Editor.Command(w.Context(), name, args, result); err != nil {
		w.Fatalf("%s: %v", name, err)
	}
	synctest.Wait()
}

// Refused checks the code of an error, and of its data.
func (w *World) Refused(err error, code int64, data string) {
	w.Helper()
	var e *rpc.Error
	if !errors.As(err, &e) || e.Code != code || !strings.Contains(fmt.Sprintf("%s", e.Data), data) {
		w.Errorf("got error %v, want code %d with data %q", err, code, data)
		if e != nil {
			w.Logf("code %d, data %s", e.Code, e.Data)
		}
	}
}

// Session makes a session and returns its ID.
func (w *World) Session(params Obj) string {
	w.Helper()
	var r struct{ Session struct{ SessionID string } }
	w.Call("emendo/session/new", params, &r)
	return r.Session.SessionID
}

// PromptOf returns the params of emendo/session/prompt.
func PromptOf(id, text string) Obj {
	return Obj{"sessionId": id, "prompt": []Obj{{"type": "text", "text": text}}}
}

// InjectionOf returns the params of emendo/session/inject that queue a prompt.
func InjectionOf(id, text string) Obj {
	p := PromptOf(id, text)
	p["how"] = "queue"
	return p
}

// TurnEnd is the answer to a prompt.
type TurnEnd struct{ TurnID, StopReason string }

// Prompt runs a turn to its end.
func (w *World) Prompt(id, text string) TurnEnd {
	w.Helper()
	var r TurnEnd
	w.Call("emendo/session/prompt", PromptOf(id, text), &r)
	return r
}

// Prompting begins a turn; wait returns its end.
func (w *World) Prompting(ctx context.Context, id, text string) (wait func() (TurnEnd, error)) {
	var r TurnEnd
	done := make(chan error, 1)
	go func() { done <- w.Editor.Call(ctx, "emendo/session/prompt", PromptOf(id, text), &r) }()
	synctest.Wait()
	return func() (TurnEnd, error) { err := <-done; return r, err }
}

// Kinds returns the kinds of a session's updates, without consecutive
// duplicates.
func Kinds(us []lsptest.Update) string {
	var l []string
	for _, u := range us {
		if k := u.Kind(); len(l) == 0 || l[len(l)-1] != k {
			l = append(l, k)
		}
	}
	return strings.Join(l, " ")
}

// Said returns the text of the answers in updates.
func Said(us []lsptest.Update) string {
	var b strings.Builder
	for _, u := range us {
		if u.Kind() == "agent_message_chunk" {
			b.WriteString(u.Text())
		}
	}
	return b.String()
}

// Request returns the content of the nth request to the model.
func (w *World) Request(n int) string {
	w.Helper()
	rs := w.Model.Requests()
	if n >= len(rs) {
		w.Fatalf("the model got %d requests", len(rs))
	}
	return fmt.Sprintf("%+v", rs[n])
}

// TwoHunks returns a reply that changes a and b.
func TwoHunks() modeltest.Reply {
	text := strings.NewReplacer("return 1", "return 11", "return 2", "return 22").Replace(MainGo)
	return modeltest.Reply{modeltest.Call("write_file", fmt.Sprintf(`{"file_path":"main.go","content":%q}`, text))}
}

// Say returns a reply of the model that says a text.
func Say(text string) modeltest.Reply { return modeltest.Reply{modeltest.Say(text)} }

// Run returns a reply of the model that runs a command.
func Run(command string) modeltest.Reply {
	return modeltest.Reply{modeltest.Call("run_shell_command", fmt.Sprintf(`{"command":%q}`, command))}
}

// Forever is a step that never ends within a test.
var Forever = modeltest.Pause(24 * time.Hour)

// Plugin is what the plugin for Neovim declares.
var Plugin = lsptest.Recorded("plugin")

// Advance lets delayed work run.
func (w *World) Advance() { w.AdvanceBy(time.Second) }

// AdvanceBy lets the work of some time run.
func (w *World) AdvanceBy(some time.Duration) {
	<-time.After(some)
	synctest.Wait()
}

// InBubble runs f in a bubble, with the world's test in it.
func InBubble(t *testing.T, w *World, f func()) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		f()
	})
}
