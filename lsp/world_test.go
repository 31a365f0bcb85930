package lsp_test

import (
	"cmp"
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

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/checkpoint"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/lsp"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/shell"
	"github.com/emendo-dev/emendo/tools/user"
	"go.uber.org/goleak"
)

// TestMain checks that nothing is left running but a worker that a client library starts.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}

type obj = map[string]any

// world is an editor with a server, a workspace with main.go, and a scripted
// model.
type world struct {
	*testing.T
	dir    string
	model  *modeltest.Script
	spawn  *sandboxtest.Spawner
	e      *lsptest.Editor
	noKey  bool
	models *keyed                                             // models of the key; nil: the provider does not list them
	behind func(name string) (model.Generator, string, error) // the models; nil: the script
	crash  bool                                               // the agent and its start panic
	broken error                                              // why the host does not start

	chatsInState bool // as in the setting chat.folder

	onCommand func() // called before the client sends one; may be nil

	supplies func(*state.Session) []state.Supply // of sessions; may be nil
	wait     settings.EditsWait                  // empty: always

	wire atomic.Int64 // bytes that the server has sent

	mu       sync.Mutex
	trusted  map[string]bool
	offer    lsp.TrustOffer // of every folder
	readOnly bool           // no trust can be stored
	hold     chan struct{}  // the host starts once this is closed; nil: at once
	approved bool           // what the folder would start was approved
	started  lsp.Start      // the input of the last host's start
	ledger   *ledger.Ledger // of the last host
	starts   int
	ids      int // made, by every host
}

const mainGo = "package main\n\nfunc a() int { return 1 }\n\n// one\n// two\n// three\n\nfunc b() int { return 2 }\n"

// play runs f in a bubble with an editor of profile p, and ends the server.
func play(t *testing.T, p lsptest.Profile, replies []modeltest.Reply, f func(w *world)) {
	t.Helper()
	w := newWorld(t, replies)
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		w.start(p)
		defer w.end()
		f(w)
	})
}

func newWorld(t *testing.T, replies []modeltest.Reply) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, dir: dir, model: &modeltest.Script{Replies: replies}, spawn: &sandboxtest.Spawner{}, trusted: map[string]bool{dir: true}}
	w.write("main.go", mainGo)
	return w
}

func (w *world) start(p lsptest.Profile) {
	w.Helper()
	e, err := lsptest.Start(p, w.dir, w.serve)
	if err != nil {
		w.Fatal(err)
	}
	w.e = e
	synctest.Wait()
}

func (w *world) end() {
	w.Helper()
	if err := w.e.End(); err != nil {
		w.Error(err)
	}
}

func (w *world) serve(ctx context.Context, r io.Reader, out io.Writer) error {
	return lsp.Serve(ctx, r, counting{out, &w.wire}, lsp.Options{Version: "1.2.3", Models: []lsp.ModelInfo{{ID: "m", Name: "M"}}, LogFile: filepath.Join(w.dir, "log"), Start: w.host})
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

// host does the wiring of package cmd.
func (w *world) host(_ context.Context, s lsp.Start) (*lsp.Host, error) {
	w.mu.Lock()
	w.starts++
	w.started = s
	broken, hold := w.broken, w.hold
	w.mu.Unlock()
	if hold != nil {
		<-hold
	}
	if w.crash {
		panic("a bug")
	}
	if broken != nil {
		return nil, broken
	}
	trusted := func(folder string) bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return s.Trust() != lsp.Restricted && w.trusted[folder]
	}
	newID := func() string {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ids++
		return fmt.Sprintf("id-%d", w.ids)
	}
	l := ledger.New(ledger.Options{Workspace: s.Workspace, Editor: s.Editor, NewID: newID})
	w.mu.Lock()
	w.ledger = l
	w.mu.Unlock()
	set := settings.Defaults()
	set.Edits.Wait, set.Edits.Verify = cmp.Or(w.wait, settings.WaitAlways), false
	set.Tools.Shell.Ask = string(policy.AskOutside)
	a := agent.New(state.Options{
		Client: s.Client, Workspace: s.Workspace, Ledger: l, Editor: s.Editor, Store: transcript.NewStore(filepath.Join(w.dir, ".state")),
		Choices: state.Choices{
			Model: "m", Generator: w.generator, Settings: &set,
			Tools: []tools.Tool{tools.NewReadFile(), tools.NewReplace(), tools.NewWriteFile(), user.NewAskUser(), shell.New(shell.Options{Spawner: w.spawn})},
		},
		Trusted: trusted, NewID: newID, OutputDir: filepath.Join(w.dir, ".out"), Checkpoints: checkpoint.NewStore(filepath.Join(w.dir, ".checkpoints"), checkpoint.Git{}),
		Supplies: func(s *state.Session) []state.Supply {
			if w.supplies == nil {
				return nil
			}
			return w.supplies(s)
		},
	})
	return &lsp.Host{Agent: a, Ledger: l, Trusted: trusted, OfferTrust: func(folder string) (lsp.TrustOffer, error) {
		o := w.offer
		o.Add = func() error {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.readOnly {
				return errors.New("the disk is read-only")
			}
			w.trusted[folder] = true
			return nil
		}
		o.Approve = func() error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.approved = true
			return nil
		}
		return o, nil
	}, Export: func(id, format string) (string, error) {
		info, _, err := transcript.NewStore(filepath.Join(w.dir, ".state")).Read(id)
		return format + " of " + info.Title, err
	}, Chats: lsp.ChatFolder{Path: filepath.Join(w.dir, ".chats"), Used: func() bool { return w.chatsInState }}, Close: func() error { return s.Workspace.Snapshot().Tree().Close() }}, nil
}

func (w *world) generator(name string) (model.Generator, string, error) {
	if w.crash {
		panic("a bug")
	}
	if w.noKey {
		return nil, "", &model.Error{Kind: model.Auth, Message: "set GEMINI_API_KEY"}
	}
	if w.models != nil {
		return w.models, name, nil
	}
	if w.behind != nil {
		return w.behind(name)
	}
	return w.model, name, nil
}

// keyed is a scripted model whose provider lists the models of a key.
type keyed struct {
	*modeltest.Script
	may   []model.Offered
	asked int
	hold  chan struct{} // it answers once this is closed; nil: at once
}

// Models implements [model.Lister].
func (k *keyed) Models(ctx context.Context) ([]model.Offered, error) {
	k.asked++
	if k.hold != nil {
		select {
		case <-k.hold:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return k.may, nil
}

func (w *world) write(name, text string) {
	w.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

func (w *world) read(name string) string {
	w.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.Fatal(err)
	}
	return string(b)
}

func (w *world) uri(name string) string { return string(ide.FileURI(filepath.Join(w.dir, name))) }

// open opens main.go.
func (w *world) open() string {
	u := w.uri("main.go")
	w.e.Open(u, w.read("main.go"))
	synctest.Wait()
	return u
}

// typed replaces the only occurrence of a text in a document, as if typed.
func (w *world) typed(uri, old, text string) {
	w.Helper()
	at := strings.Index(w.e.Text(uri), old)
	if at < 0 {
		w.Fatalf("%s does not contain %q", uri, old)
	}
	w.e.Type(uri, at, at+len(old), text)
	synctest.Wait()
}

// rangeOf returns the range of the first occurrence of a text in a document.
func (w *world) rangeOf(uri, text string) ide.Range {
	w.Helper()
	d := w.e.Workspace.Snapshot().Document(ide.ParseURI(uri))
	at := strings.Index(d.Text.String(), text)
	if at < 0 {
		w.Fatalf("%s does not contain %q", uri, text)
	}
	return d.Text.Range(at, at+len(text), w.e.Workspace.Encoding())
}

func (w *world) call(method string, params, result any) {
	w.Helper()
	if err := w.e.Call(w.Context(), method, params, result); err != nil {
		w.Fatalf("%s: %v", method, err)
	}
	synctest.Wait()
}

func (w *world) command(name string, args, result any) {
	w.Helper()
	if w.onCommand != nil {
		w.onCommand()
	}
	if err := w.e.Command(w.Context(), name, args, result); err != nil {
		w.Fatalf("%s: %v", name, err)
	}
	synctest.Wait()
}

// refused checks the code of an error, and of its data.
func (w *world) refused(err error, code int64, data string) {
	w.Helper()
	var e *rpc.Error
	if !errors.As(err, &e) || e.Code != code || !strings.Contains(fmt.Sprintf("%s", e.Data), data) {
		w.Errorf("got error %v, want code %d with data %q", err, code, data)
		if e != nil {
			w.Logf("code %d, data %s", e.Code, e.Data)
		}
	}
}

func (w *world) session(params obj) string {
	w.Helper()
	var r struct{ Session struct{ SessionID string } }
	w.call("emendo/session/new", params, &r)
	return r.Session.SessionID
}

func promptOf(id, text string) obj {
	return obj{"sessionId": id, "prompt": []obj{{"type": "text", "text": text}}}
}

func injectionOf(id, text string) obj {
	p := promptOf(id, text)
	p["how"] = "queue"
	return p
}

type turnEnd struct{ TurnID, StopReason string }

// prompt runs a turn to its end.
func (w *world) prompt(id, text string) turnEnd {
	w.Helper()
	var r turnEnd
	w.call("emendo/session/prompt", promptOf(id, text), &r)
	return r
}

// prompting begins a turn; wait returns its end.
func (w *world) prompting(ctx context.Context, id, text string) (wait func() (turnEnd, error)) {
	var r turnEnd
	done := make(chan error, 1)
	go func() { done <- w.e.Call(ctx, "emendo/session/prompt", promptOf(id, text), &r) }()
	synctest.Wait()
	return func() (turnEnd, error) { err := <-done; return r, err }
}

// kinds returns the kinds of a session's updates, without consecutive
// duplicates.
func kinds(us []lsptest.Update) string {
	var l []string
	for _, u := range us {
		if k := u.Kind(); len(l) == 0 || l[len(l)-1] != k {
			l = append(l, k)
		}
	}
	return strings.Join(l, " ")
}

func said(us []lsptest.Update) string {
	var b strings.Builder
	for _, u := range us {
		if u.Kind() == "agent_message_chunk" {
			b.WriteString(u.Text())
		}
	}
	return b.String()
}

// request returns the content of the nth request to the model.
func (w *world) request(n int) string {
	w.Helper()
	rs := w.model.Requests()
	if n >= len(rs) {
		w.Fatalf("the model got %d requests", len(rs))
	}
	return fmt.Sprintf("%+v", rs[n])
}

// twoHunks returns a reply that changes a and b.
func twoHunks() modeltest.Reply {
	text := strings.NewReplacer("return 1", "return 11", "return 2", "return 22").Replace(mainGo)
	return modeltest.Reply{modeltest.Call("write_file", fmt.Sprintf(`{"file_path":"main.go","content":%q}`, text))}
}

func say(text string) modeltest.Reply { return modeltest.Reply{modeltest.Say(text)} }

func run(command string) modeltest.Reply {
	return modeltest.Reply{modeltest.Call("run_shell_command", fmt.Sprintf(`{"command":%q}`, command))}
}

// forever is a step that never ends within a test.
var forever = modeltest.Pause(24 * time.Hour)

var plugin = lsptest.Recorded("plugin")

// advance lets delayed work run.
func (w *world) advance() {
	<-time.After(time.Second)
	synctest.Wait()
}

// inBubble runs f in a bubble, with the world's test in it.
func inBubble(t *testing.T, w *world, f func()) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		f()
	})
}
