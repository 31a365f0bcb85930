// Package worldtest has the world of tests that serve an ACP client: a folder, a store of
// sessions, an agent with the tools for files and a scripted model.
package worldtest

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/acp/acptest"
	"github.com/emendo-dev/emendo/acp/host"
	"github.com/emendo-dev/emendo/acp/serve"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/tools"
)

// World is a folder, a store of sessions and a scripted model.
type World struct {
	Dir     string // the folder, links resolved
	Store   *transcript.Store
	Model   *modeltest.Script
	Trusted atomic.Bool // the folder
	Mode    policy.Mode // of new sessions

	t *testing.T
}

// New returns a world with the replies of its model.
func New(t *testing.T, replies ...modeltest.Reply) *World {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &World{t: t, Dir: dir, Store: transcript.NewStore(t.TempDir()), Model: &modeltest.Script{Replies: replies}}
}

// Connect serves a client that has not sent anything yet, as a process of its own would.
func (w *World) Connect() *acptest.Client {
	w.t.Helper()
	in, fromClient := io.Pipe()
	toClient, out := io.Pipe()
	c := acptest.Connect(w.t, fromClient)
	served := make(chan error, 1)
	go func() {
		err := serve.Serve(context.Background(), in, out, serve.Options{ // the test's context ends before its cleanup
			Models: []acp.OptionValue{{Value: "large", Name: "Large"}, {Value: "small", Name: "Small"}},
			Store:  w.Store, Cwd: w.Dir, Mode: w.Mode, Start: w.start, SignedIn: func(context.Context) error { return nil },
		})
		_ = out.Close()
		served <- err
	}()
	go c.Run(toClient)
	w.t.Cleanup(func() { w.end(c, served) })
	return c
}

func (w *World) end(c *acptest.Client, served <-chan error) {
	c.Hang()
	<-c.Ended()
	if err := <-served; err != nil {
		w.t.Errorf("the server ended with %v", err)
	}
}

func (w *World) start(_ context.Context, s host.Start) (*host.Host, error) {
	trusted := func(string) bool { return w.Trusted.Load() }
	set := settings.Defaults()
	a := agent.New(state.Options{
		Checkpoints: rewind.NewStore(filepath.Join(w.t.TempDir(), "checkpoints"), rewind.Git{}),
		Client:      s.Client, Workspace: s.Workspace, Editor: s.Editor, Store: w.Store, Trusted: trusted,
		Ledger: ledger.New(ledger.Options{Workspace: s.Workspace, Editor: s.Editor, NewID: transcript.RandomID}),
		Choices: state.Choices{
			Settings: &set, Model: "large", Tools: tools.All(), Generator: func(name string) (model.Generator, string, error) { return w.Model, name, nil },
		},
	})
	return &host.Host{
		Agent: a, Trusted: trusted, Serve: func(string, []acp.MCPServer) {},
		Close: func() error { return s.Workspace.Snapshot().Tree().Close() },
	}, nil
}

// Session opens a session in the folder and returns its ID.
func (w *World) Session(c *acptest.Client) string {
	w.t.Helper()
	var opened struct{ SessionID string }
	c.Must("session/new", OpenParams("", w.Dir), &opened)
	return opened.SessionID
}

// OpenParams are the params that open a session; id may be empty.
func OpenParams(id, dir string) map[string]any {
	p := map[string]any{"cwd": dir, "mcpServers": []any{}}
	if id != "" {
		p["sessionId"] = id
	}
	return p
}

// PromptParams are the params of a prompt.
func PromptParams(id, text string) map[string]any {
	return map[string]any{"sessionId": id, "prompt": []any{map[string]any{"type": "text", "text": text}}}
}

// Ask prompts a session and returns its stop reason.
func Ask(c *acptest.Client, id, text string) string {
	var r struct{ StopReason string }
	c.Must("session/prompt", PromptParams(id, text), &r)
	return r.StopReason
}

// WantFailure checks the code of an error answer, and that of its data.
func WantFailure(t *testing.T, err error, code int, data string) {
	t.Helper()
	var e *acptest.Error
	if !errors.As(err, &e) || e.Code != code || e.Data.Code != data {
		t.Errorf("got %v, want the error %d (%s)", err, code, data)
	}
}
