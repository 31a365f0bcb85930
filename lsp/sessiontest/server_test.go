package sessiontest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/shell"
)

// server is one run of the server, from its start to its end, and the client's
// connection to it.
type server struct {
	client *client
	conn   *rpc.Conn
	cut    func()     // ends the streams at once
	served chan error // what lsp.Serve returned
	closed chan error // what the client's side of the connection returned
}

// connected gives the server that runs, or starts one.
func (p *play) connected() (*server, error) {
	if p.server != nil {
		return p.server, nil
	}
	fromServer, toClient := io.Pipe()
	fromClient, toServer := io.Pipe()
	c := &client{editor: p.editor, kind: p.kind, sets: map[string]changeSet{}, marks: map[string][]mark{}, work: map[string]chan struct{}{}}
	s := &server{client: c, served: make(chan error, 1), closed: make(chan error, 1)}
	s.conn = rpc.NewConn(fromServer, toServer, c, rpc.Options{})
	c.conn = s.conn
	s.cut = func() {
		_ = toServer.CloseWithError(io.EOF) // never fails
		_ = toClient.CloseWithError(io.EOF)
	}
	go func() { // ended by shutdown or kill, which wait for it
		s.served <- lsp.Serve(context.Background(), fromClient, toClient, lsp.Options{Version: "test", Start: p.host})
	}()
	go func() { s.closed <- s.conn.Run(context.Background()) }()
	p.server = s
	params := object{
		"processId": nil, "capabilities": p.kind.capabilities(p.saves),
		"workspaceFolders":      []object{{"uri": p.editor.uri("."), "name": "work"}},
		"initializationOptions": object{"trust": p.trust()},
	}
	if err := s.conn.Call(p.t.Context(), "initialize", params, nil); err != nil {
		return nil, err
	}
	s.notify("initialized", object{})
	for _, d := range p.editor.Workspace.Snapshot().Documents() {
		s.notify(opening(d))
	}
	return s, nil
}

func (p *play) trust() lsp.Trust {
	if p.trusted {
		return lsp.Trusted
	}
	return lsp.Restricted
}

// notify sends a notification; one that cannot be sent any more is lost, as it
// is for a real editor.
func (s *server) notify(method string, params any) {
	_ = s.conn.Notify(context.Background(), method, params)
}

// shutdown ends the server as an editor does that is closed.
func (s *server) shutdown() error {
	err := s.conn.Call(context.Background(), "shutdown", nil, nil)
	s.notify("exit", nil)
	err = errors.Join(err, <-s.served)
	s.cut()
	return errors.Join(err, <-s.closed)
}

// kill ends the server where it stands: the next one finds the files as they
// are at this moment.
func (p *play) kill() error {
	s := p.server
	if s == nil {
		return errors.New("no server runs")
	}
	next := filepath.Join(p.home, "after-"+strconv.Itoa(p.ids))
	if _, err := os.Stat(p.state); err == nil {
		if err := os.CopyFS(next, os.DirFS(p.state)); err != nil {
			return err
		}
	}
	p.server = nil // what the dying server asks for is heard by nobody
	s.cut()
	<-s.served
	<-s.closed
	p.state = next
	for _, x := range p.sessions {
		x.turn = nil
	}
	return nil
}

// restart ends the server as it should be ended; the next one starts when it is
// needed.
func (p *play) restart() error {
	s := p.server
	if s == nil {
		return errors.New("no server runs")
	}
	err := s.shutdown()
	if lerr := p.listen(); lerr != nil {
		return lerr
	}
	p.server = nil
	return err
}

// host makes the agent, as cmd does, but for the model, the processes, the
// chance in delays and the ids.
func (p *play) host(_ context.Context, s lsp.Start) (*lsp.Host, error) {
	led := ledger.New(ledger.Options{Workspace: s.Workspace, Editor: s.Editor, NewID: p.newID})
	trusted := func(string) bool { return s.Trust == lsp.Trusted }
	a := agent.New(agent.Options{
		Client: s.Client, Workspace: s.Workspace, Ledger: led, Editor: s.Editor, Store: agent.NewStore(filepath.Join(p.state, "sessions")),
		Tools:     append(tools.Reading(), tools.NewReplace(), tools.NewWriteFile(), shell.New(shell.Options{Spawner: p.spawn})),
		Generator: func(name string) (model.Generator, string, error) { return p.model, name, nil },
		Trusted:   trusted, Model: "test-model", MaxSteps: p.steps, IgnoreGit: true, IgnoreEmendo: true,
		OutputDir: filepath.Join(p.state, "output"), Retry: model.RetryOptions{Rand: func() float64 { return 0.5 }}, NewID: p.newID,
	})
	return &lsp.Host{Agent: a, Ledger: led, Trusted: trusted}, nil
}

// decoded reads JSON that came with an error.
func decoded(from, to any) bool {
	raw, ok := from.(json.RawMessage)
	return ok && json.Unmarshal(raw, to) == nil
}
