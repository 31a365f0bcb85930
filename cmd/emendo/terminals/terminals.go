// Package terminals starts commands that have no sandbox in the terminals of an ACP
// client, where what is sandboxed never runs, and what the user runs in terminals that an
// editor draws.
package terminals

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/acp/terminals"
	"github.com/emendo-dev/emendo/internal/sandbox"
)

// env is the program that starts a command with exactly its environment: a client adds its own,
// which may hold keys.
const env = "/usr/bin/env"

// Times of the output of a command.
const (
	refreshes    = 500 * time.Millisecond // between two looks at it
	lookPatience = time.Second            // for the client's answer to one of them
	lastPatience = 30 * time.Second       // likewise once the command has ended
)

// noOutput stands for the rest of an output that the client did not return.
const noOutput = "[the editor did not return the rest of the output]\n"

// Spawner implements [shell.Terminals].
type Spawner struct {
	Terminals terminals.Terminals
	// Sandboxed reports whether commands with a profile are sandboxed here.
	Sandboxed func() bool
	Log       *slog.Logger
}

// Start starts a command of a session in a terminal of the client. The error is
// [sandbox.ErrNoTerminal] for one that has to be started otherwise.
func (s Spawner) Start(ctx context.Context, session string, c sandbox.Command) (sandbox.Process, error) {
	if _, err := os.Stat(env); err != nil || c.Profile != nil && s.Sandboxed() {
		return nil, sandbox.ErrNoTerminal
	}
	argv := append(append([]string{env, "-i"}, c.Env...), c.Argv...)
	t, err := s.Terminals.Start(ctx, terminals.Command{Session: session, Argv: argv, Dir: c.Dir})
	if err != nil {
		s.Log.Warn("the editor started no terminal", "error", err)
		return nil, fmt.Errorf("%w: %w", sandbox.ErrNoTerminal, err)
	}
	return follow(ctx, t.ID, t, s.Log), nil
}

// terminal is where a command runs.
type terminal interface {
	Output(ctx context.Context) (string, error)
	Wait(ctx context.Context) (terminals.Exit, error)
	Kill(ctx context.Context) error
	Release(ctx context.Context) error
}

// follow returns the command that was started in a terminal.
func follow(ctx context.Context, id string, t terminal, log *slog.Logger) *process {
	life, end := context.WithCancel(context.WithoutCancel(ctx)) // Kill ends it
	r, w := io.Pipe()
	p := &process{id: id, terminal: t, output: r, life: life, end: end, over: make(chan struct{}), log: log}
	go p.follow(w)
	return p
}

// process is a command in a terminal of the client.
type process struct {
	id       string
	terminal terminal
	output   io.ReadCloser
	life     context.Context
	end      context.CancelFunc
	log      *slog.Logger

	over chan struct{} // closed when exit is set and the output is written
	exit sandbox.Exit

	killing sync.Once
}

// follow copies the output until the command has ended.
func (p *process) follow(w *io.PipeWriter) {
	defer p.end()
	defer close(p.over)
	defer w.Close()
	exited := make(chan sandbox.Exit, 1)
	go func() {
		e, err := p.terminal.Wait(p.life)
		exit := sandbox.Exit{Code: -1, Signal: e.Signal}
		if e.Code != nil {
			exit.Code = *e.Code
		}
		if err != nil {
			exit = sandbox.Exit{Code: -1, Signal: "killed"}
		}
		exited <- exit
	}()
	tick := time.NewTicker(refreshes)
	defer tick.Stop()
	written := ""
	for {
		select {
		case <-tick.C:
			if now, err := p.copy(w, written, lookPatience); err == nil {
				written = now
			}
			continue
		case p.exit = <-exited:
		}
		if _, err := p.copy(w, written, lastPatience); err != nil {
			p.log.Warn("the editor did not return the output of a command", "error", err)
			_, _ = io.WriteString(w, noOutput) // the reader is gone once the call has ended
		}
		if err := p.terminal.Release(context.WithoutCancel(p.life)); err != nil {
			p.log.Debug("the editor did not release a terminal", "error", err)
		}
		return
	}
}

// copy writes what was added to the output, which the client may have cut at its
// beginning, and returns all of it. It fails if the client does not answer in time.
func (p *process) copy(w io.Writer, written string, patience time.Duration) (string, error) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(p.life), patience) // also after the end
	defer stop()
	now, err := p.terminal.Output(ctx)
	if err != nil {
		return "", err
	}
	added, ok := strings.CutPrefix(now, written)
	if !ok {
		added = now
	}
	if added != "" {
		_, _ = io.WriteString(w, added) // the reader is gone once the call has ended
	}
	return now, nil
}

// Terminal returns the ID of the terminal, for the client.
func (p *process) Terminal() string { return p.id }

func (*process) PID() int                { return 0 }
func (*process) Input() io.WriteCloser   { return nil }
func (p *process) Output() io.ReadCloser { return p.output }
func (*process) Errors() io.ReadCloser   { return nil }

func (p *process) Wait() sandbox.Exit {
	<-p.over
	return p.exit
}

// Kill has the client end the command. What the command has left behind is the client's
// to end.
func (p *process) Kill(time.Duration) (ended, left []int) {
	select {
	case <-p.over:
		return nil, nil
	default:
	}
	p.killing.Do(func() {
		if err := p.terminal.Kill(p.life); err != nil {
			p.log.Warn("the editor did not end a command", "error", err)
			p.end()
		}
	})
	late := time.NewTimer(killPatience)
	defer late.Stop()
	select {
	case <-p.over:
	case <-late.C:
		p.end() // the client does not say that it has ended
		<-p.over
	}
	return nil, nil
}

// killPatience is how long the client may take to report the end of a killed command.
const killPatience = 2 * time.Second
