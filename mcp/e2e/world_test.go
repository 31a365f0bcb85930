// Package e2e_test talks to the reference servers of the Model Context Protocol, which
// install.sh installs. make test does that.
package e2e_test

import (
	"bufio"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/mcp"
	"github.com/emendo-dev/emendo/mcp/config"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/lookup"
)

// asker lets everything start and be read, and answers what the server asks.
type asker struct {
	t *testing.T

	mu     sync.Mutex
	elicit func([]tools.Question) frontend.Elicited
	sample func(state.Completion) (state.Answer, error)
}

func (*asker) MayStart(context.Context, string, trust.Entry) (trust.Cleared, bool) {
	return trust.Cleared{}, true
}

func (a *asker) Publish(frontend.Event)          {}
func (a *asker) Notice(n transcript.Notice)      { a.t.Logf("notice: %s: %s", n.Title, n.Description) }
func (*asker) Tell(string, string, tools.Origin) {}

func (*asker) Fetch(ctx context.Context, _, _, _ string, _ json.RawMessage, read func(context.Context) tools.Result) tools.Result {
	return read(ctx)
}

func (a *asker) Elicit(_ context.Context, _ string, q []tools.Question) (frontend.Elicited, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.elicit(q), nil
}

func (a *asker) Sample(_ context.Context, c state.Completion) (state.Answer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sample(c)
}

// answer sets the answers to what the server asks next.
func (a *asker) answer(elicit func([]tools.Question) frontend.Elicited, sample func(state.Completion) (state.Answer, error)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.elicit, a.sample = elicit, sample
}

// messages is a log that keeps the messages of the server.
type messages struct {
	slog.Handler

	mu  sync.Mutex
	got []string
}

func (m *messages) Handle(_ context.Context, r slog.Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "message" {
			m.got = append(m.got, a.Value.String())
		}
		return true
	})
	return nil
}

func (*messages) Enabled(context.Context, slog.Level) bool { return true }

func (m *messages) have(part string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.got, func(s string) bool { return strings.Contains(s, part) })
}

// world is a session with one reference server, whose name is ref.
type world struct {
	t      *testing.T
	dir    string // the session's folder
	supply *mcp.Supply
	asker  *asker
	log    *messages
}

// script returns the program of a reference server.
func script(t *testing.T, name string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs Node and the reference servers")
	}
	path, err := filepath.Abs(filepath.Join("node_modules", "@modelcontextprotocol", "server-"+name, "dist", "index.js"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: run mcp/e2e/install.sh, as make test does", err)
	}
	return path
}

// program returns a reference server as a program.
func program(t *testing.T, name string, args ...string) config.Server {
	t.Helper()
	return config.Server{Transport: config.Stdio, Command: "node", Args: append([]string{script(t, name)}, args...)}
}

// workspace is a trusted folder with one server.
type workspace struct {
	server config.Server
	dir    string
}

func (w workspace) Configured() config.List { return config.List{Servers: []config.Server{w.server}} }
func (w workspace) Folders() []string       { return []string{w.dir} }
func (workspace) Trusted() bool             { return true }

// open opens a session with a server, which talks one version of the protocol; empty:
// the one that emendo chooses.
func open(t *testing.T, dir, protocol string, c config.Server) *world {
	t.Helper()
	w := &world{t: t, dir: dir, asker: &asker{t: t}, log: &messages{Handler: slog.DiscardHandler}}
	c.Name, c.Dir, c.Own = "ref", dir, true
	programs := mcp.Programs{Environ: append(os.Environ(), "GEMINI_API_KEY=sesame"), Log: slog.New(w.log)}
	w.supply = mcp.New(mcp.Options{
		Workspace: workspace{c, dir}, Dialer: programs,
		Protocol: protocol, Log: slog.New(w.log),
	})
	t.Cleanup(w.supply.Close)
	return w
}

// tools returns the tools that the model has now.
func (w *world) tools() []tools.Tool { return w.supply.Tools(w.t.Context(), w.asker) }

// names returns the names of the server's tools.
func (w *world) names() (l []string) {
	for _, x := range w.tools() {
		if name, ok := strings.CutPrefix(x.Spec().Name, "mcp_ref_"); ok {
			l = append(l, name)
		}
	}
	slices.Sort(l)
	return l
}

// until waits until something holds that the server brings about.
func (w *world) until(what string, holds func() bool) {
	w.t.Helper()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	for !holds() {
		select {
		case <-again.C:
		case <-ctx.Done():
			w.t.Fatalf("after a minute there is not: %s", what)
		}
	}
}

// call calls a tool by its whole name. live hears of its progress.
func (w *world) call(ctx context.Context, tool, args string, live func(string)) tools.Result {
	w.t.Helper()
	found := lookup.Find(w.tools(), tool)
	if found == nil {
		w.t.Fatalf("there is no tool %s among %v", tool, w.names())
	}
	a, err := found.Prepare(ctx, tools.Env{}, json.RawMessage(args))
	if err != nil {
		w.t.Fatalf("%s %s: %v", tool, args, err)
	}
	return a.Run(ctx, func(p tools.Progress) { live(p.Output) })
}

// wants calls a tool of the server whose result must have these parts.
func (w *world) wants(tool, args string, parts ...string) tools.Result {
	w.t.Helper()
	r := w.call(w.t.Context(), "mcp_ref_"+tool, args, func(string) {})
	if r.Err != nil {
		w.t.Errorf("%s %s: %v\n%s", tool, args, r.Err, r.Raw)
	}
	w.has(tool+" "+args, r.Raw, parts...)
	return r
}

// fails calls a tool of the server whose error must have these parts.
func (w *world) fails(tool, args string, parts ...string) {
	w.t.Helper()
	r := w.call(w.t.Context(), "mcp_ref_"+tool, args, func(string) {})
	if r.Err == nil || r.Err.Type != tools.ServerFailure {
		w.t.Errorf("%s %s: want an error of the server, got %+v", tool, args, r)
		return
	}
	w.has(tool+" "+args, r.Err.Message+"\n"+r.Raw, parts...)
}

func (w *world) has(what, text string, parts ...string) {
	w.t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			w.t.Errorf("%s: want %q in\n%s", what, part, text)
		}
	}
}

func (w *world) lacks(text, part string) {
	w.t.Helper()
	if strings.Contains(text, part) {
		w.t.Errorf("want no %q in\n%s", part, text)
	}
}

// each waits until the server offers exactly the tools of a table, and runs the tests
// in it, in the order of their names.
func (w *world) each(tests map[string]func(*world)) {
	w.t.Helper()
	want := slices.Sorted(maps.Keys(tests))
	w.until("the tools of the table", func() bool {
		got := w.names()
		for _, name := range got {
			if tests[name] == nil {
				w.t.Fatalf("the server offers a tool without a test: %s", name)
			}
		}
		return slices.Equal(got, want)
	})
	t := w.t
	for _, name := range want {
		t.Run(name, func(t *testing.T) {
			w.t, w.asker.t = t, t
			tests[name](w)
		})
	}
	w.t, w.asker.t = t, t
}

// listening starts a server that listens, and returns its address once it does. path is
// that of the address.
func listening(t *testing.T, transport, path string) (url string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	_ = l.Close()
	node := exec.CommandContext(t.Context(), "node", script(t, "everything"), transport)
	node.Env = append(os.Environ(), "PORT="+port)
	text, err := node.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(text)
	var drained sync.WaitGroup
	t.Cleanup(func() {
		_ = node.Process.Kill()
		drained.Wait()
		_ = node.Wait()
	})
	for lines.Scan() {
		if strings.Contains(lines.Text(), "on port "+port) {
			drained.Go(func() {
				for lines.Scan() {
				}
			})
			return "http://127.0.0.1:" + port + path
		}
	}
	t.Fatalf("the server does not listen: %v", lines.Err())
	return ""
}
