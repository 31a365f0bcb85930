package sessiontest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/lsp"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/tools/builtin"
	"github.com/emendo-dev/emendo/tools/reach/reachtest"
	"github.com/emendo-dev/emendo/tools/shell"
)

// connected returns the editor with a running server, which it starts if needed.
func (p *play) connected() (*lsptest.Editor, error) {
	if p.up {
		return p.editor, nil
	}
	profile, err := p.profile()
	if err != nil {
		return nil, err
	}
	p.server = &process{make(chan struct{})}
	if p.editor != nil {
		err = p.editor.Reconnect(profile, p.dir, p.serve)
	} else {
		p.editor, err = lsptest.Start(profile, p.dir, p.serve)
	}
	if err != nil {
		return nil, err
	}
	p.editor.OnEdit, p.editor.Ask, p.editor.Elicit, p.editor.Choose = p.onEdit, p.permission, p.elicited, p.choice
	p.up = true
	return p.editor, nil
}

func (p *play) serve(ctx context.Context, r io.Reader, w io.Writer) error {
	return lsp.Serve(ctx, r, w, lsp.Options{Version: "test", Start: p.host})
}

// kill ends the server at once: the next one finds the files as they are now.
func (p *play) kill() error {
	if !p.up {
		return errors.New("no server runs")
	}
	next := filepath.Join(p.home, "after-"+strconv.Itoa(p.ids))
	if _, err := os.Stat(p.state); err == nil {
		if err := os.CopyFS(next, os.DirFS(p.state)); err != nil {
			return err
		}
	}
	p.server.kill()
	_ = p.editor.Vanish()                                              // writing is meant to fail
	p.up, p.state, p.heard = false, next, len(p.editor.Seen().Updates) // its last messages are ignored
	for _, x := range p.sessions {
		x.turn = nil
	}
	return nil
}

// process is one run of the server. Its goroutines cannot be killed; after a kill
// the model ignores their requests.
type process struct{ killed chan struct{} }

func (p *process) kill() { close(p.killed) }

// hearing returns a model that answers the process until it is killed.
func (p *process) hearing(m model.Generator) model.Generator { return heard{p, m} }

type heard struct {
	by *process
	model.Generator
}

func (h heard) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	select {
	case <-h.by.killed:
		return func(yield func(model.Chunk, error) bool) {
			<-ctx.Done()
			yield(model.Chunk{}, context.Cause(ctx))
		}
	default:
		return h.Generator.Stream(ctx, req)
	}
}

// restart ends the server in order; the next one starts when it is needed.
func (p *play) restart() error {
	if !p.up {
		return errors.New("no server runs")
	}
	p.up = false
	return p.editor.End()
}

// host makes the agent as cmd does, except for the model, the processes, random
// delays and IDs.
func (p *play) host(_ context.Context, s lsp.Start) (*lsp.Host, error) {
	server := p.server
	led := ledger.New(ledger.Options{Workspace: s.Workspace, Editor: s.Editor, NewID: p.newID})
	program := program{user: s.User}
	workspace := func() bool { return program.Trusted("") }
	a := agent.New(state.Options{
		Client: s.Client, Workspace: s.Workspace, Ledger: led, Editor: s.Editor, Store: transcript.NewStore(filepath.Join(p.state, "sessions")),
		Choices: state.Choices{
			Model: "test-model", Generator: func(name string) (model.Generator, string, error) { return server.hearing(p.model), name, nil },
			Tools: builtin.Tools(shell.Options{Spawner: p.spawn, Reach: reachtest.Reach}, p.web.Options()),
		},
		ContextLimit: p.contextLimit, Rand: func() float64 { return 0.5 },
		Trusted: program.Trusted, Renew: p.choosing(s, workspace), UserDir: filepath.Join(p.state, "config"), MemoryDir: filepath.Join(p.state, "memory"),
		Checkpoints: rewind.NewStore(filepath.Join(p.state, "checkpoints"), rewind.Git{}),
		HookRunner:  hooks.Shell{Spawner: p.spawn}, Approvals: trust.Open(filepath.Join(p.state, "trust")),
		OutputDir: filepath.Join(p.state, "output"), PlansDir: filepath.Join(p.state, "plans"), NewID: p.newID,
	})
	return &lsp.Host{Agent: a, Ledger: led, Program: program}, nil
}

// program trusts every folder if the editor does.
type program struct {
	lsptest.Program
	user lsp.User
}

func (p program) Trusted(string) bool { return p.user.Trust() == lsp.Trusted }

// decoded reads JSON that came with an error.
func decoded(from, to any) bool {
	raw, ok := from.(json.RawMessage)
	return ok && json.Unmarshal(raw, to) == nil
}
