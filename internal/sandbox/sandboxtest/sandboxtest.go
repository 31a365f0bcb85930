// Package sandboxtest simulates commands by scripts, without processes. It uses
// the test's clock, so it works in a synctest bubble, where a real process
// would block.
package sandboxtest

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox"
)

// A Script is the behaviour of one command.
type Script struct {
	Does   func() // to files, before it prints; may be nil
	Output []Piece
	After  time.Duration // between the last output and the end
	Exit   sandbox.Exit
	Hangs  bool // does not end by itself
	// Stubborn commands ignore SIGTERM and end only when killed.
	Stubborn bool
	// Background lists the IDs of processes that it leaves running.
	Background []int
	Err        error // why it cannot start
	// Held is the level at which it is confined, and Opened what it does
	// instead when it may reach more than the workspace; nil: the same.
	Held   sandbox.Level
	Opened *Script
}

// A Piece is output that follows the previous one after a delay.
type Piece struct {
	After time.Duration
	Text  string
}

// Print returns a script that prints text and exits with code.
func Print(text string, code int) Script {
	return Script{Output: []Piece{{Text: text}}, Exit: sandbox.Exit{Code: code}}
}

// A Spawner plays the script of each command. A command without a script prints
// nothing and exits with code 127, like one that a shell cannot find.
type Spawner struct {
	Scripts map[string]Script // by the command line given to the shell

	mu      sync.Mutex
	started []sandbox.Command
	running int
}

var _ sandbox.Spawner = (*Spawner)(nil)

// Started returns the commands started so far, in order.
func (s *Spawner) Started() []sandbox.Command {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.started)
}

// Running returns the number of commands that have not ended or have left
// processes running.
func (s *Spawner) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
}

// Start plays a command. Its process IDs start at 1000.
func (s *Spawner) Start(ctx context.Context, c sandbox.Command) (sandbox.Process, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	script, ok := s.Scripts[c.Argv[len(c.Argv)-1]]
	if !ok {
		script.Exit.Code = 127
	}
	if script.Opened != nil && opened(c.Profile) {
		script = *script.Opened
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started = append(s.started, c)
	if script.Err != nil {
		return nil, script.Err
	}
	s.running++
	r, w := io.Pipe()
	p := &process{Script: script, of: s, pid: 999 + len(s.started), out: r, ended: make(chan struct{}), asked: make(chan struct{}), forced: make(chan struct{})}
	go p.play(w) // ends by itself or through Kill
	return p, nil
}

// opened reports whether a profile grants more than the workspace, which is one
// folder.
func opened(p *sandbox.Profile) bool {
	return p != nil && (len(p.Write) > 1 || len(p.Read) > 0 || !p.Network.None())
}

type process struct {
	Script
	of    *Spawner
	pid   int
	out   *io.PipeReader
	exit  sandbox.Exit  // valid once ended is closed
	ended chan struct{} // the command has ended

	kill          sync.Once
	asked, forced chan struct{} // closed by Kill
}

func (p *process) Level() sandbox.Level { return p.Held }

func (p *process) PID() int              { return p.pid }
func (p *process) Output() io.ReadCloser { return p.out }

// Input discards what is written to it.
func (p *process) Input() io.WriteCloser { return unread{} }

// Errors returns nothing: a script has one stream.
func (p *process) Errors() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }

type unread struct{}

func (unread) Write(b []byte) (int, error) { return len(b), nil }
func (unread) Close() error                { return nil }

func (p *process) Wait() sandbox.Exit {
	<-p.ended
	return p.exit
}

// play writes the output and ends. Background processes keep the output open.
func (p *process) play(w *io.PipeWriter) {
	defer w.Close()
	p.exit = p.act(w)
	close(p.ended)
	if p.exit.Signal == "" && len(p.Background) > 0 {
		p.wait(-1)
	}
}

func (p *process) act(w *io.PipeWriter) sandbox.Exit {
	if p.Does != nil {
		p.Does()
	}
	for _, o := range p.Script.Output {
		if by := p.wait(o.After); by != "" {
			return sandbox.Exit{Code: -1, Signal: by}
		}
		_, _ = io.WriteString(w, o.Text) // fails if the reader has closed it
	}
	after := p.After
	if p.Hangs {
		after = -1
	}
	if by := p.wait(after); by != "" {
		return sandbox.Exit{Code: -1, Signal: by}
	}
	return p.Exit
}

// wait waits for d, or forever if d is negative, and returns the signal that
// ended the wait, if any.
func (p *process) wait(d time.Duration) string {
	var passed <-chan time.Time
	if d >= 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		passed = t.C
	}
	asked := p.asked
	if p.Stubborn {
		asked = nil
	}
	select {
	case <-passed:
		return ""
	case <-asked:
		return "terminated"
	case <-p.forced:
		return "killed"
	}
}

// Kill implements [sandbox.Process].
func (p *process) Kill(grace time.Duration) (ended, left []int) {
	p.kill.Do(func() {
		select {
		case <-p.ended:
		default:
			ended = []int{p.pid}
		}
		ended = append(ended, p.Background...)
		close(p.asked)
		if len(ended) > 0 && p.Stubborn {
			t := time.NewTimer(grace)
			defer t.Stop()
			select {
			case <-p.ended:
			case <-t.C:
			}
		}
		close(p.forced)
		<-p.ended
		p.of.mu.Lock()
		defer p.of.mu.Unlock()
		p.of.running--
	})
	return ended, nil
}
