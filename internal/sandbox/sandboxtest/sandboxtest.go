// Package sandboxtest plays commands from a script, without processes: time in
// it is the time of the test, so it runs in a synctest bubble, where a real
// process would stand still.
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

// A Script is what one command does.
type Script struct {
	Output []Piece
	After  time.Duration // from the last piece to the end
	Exit   sandbox.Exit
	Hangs  bool // it does not end by itself
	// Stubborn says that it takes no notice of being asked to end, and ends
	// only by force.
	Stubborn bool
	// Background are the ids of processes that it leaves running.
	Background []int
	Err        error // why it cannot be started
	// Held is how firmly it is held, and Opened what it does instead when more
	// is open to it than the workspace; nil: the same.
	Held   sandbox.Level
	Opened *Script
}

// A Piece of output comes so long after the one before it.
type Piece struct {
	After time.Duration
	Text  string
}

// Print is a script that prints text and exits with code.
func Print(text string, code int) Script {
	return Script{Output: []Piece{{Text: text}}, Exit: sandbox.Exit{Code: code}}
}

// A Spawner plays the script of each command; one without a script prints
// nothing and exits with code 127, as a shell does for what it cannot find.
type Spawner struct {
	Scripts map[string]Script // by the command line that the shell was given

	mu      sync.Mutex
	started []sandbox.Command
	running int
}

var _ sandbox.Spawner = (*Spawner)(nil)

// Started are the commands so far, in order.
func (s *Spawner) Started() []sandbox.Command {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.started)
}

// Running is how many commands have not ended, or have left processes running.
func (s *Spawner) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
}

// Start plays a command. Its process ids count from 1000.
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
	go p.play(w) // ends by itself or by Kill
	return p, nil
}

// opened reports whether a profile has more than the workspace, which is one folder.
func opened(p *sandbox.Profile) bool {
	return p != nil && (len(p.Write) > 1 || len(p.Read) > 0 || !p.Network.None())
}

type process struct {
	Script
	of    *Spawner
	pid   int
	out   *io.PipeReader
	exit  sandbox.Exit  // once ended is closed
	ended chan struct{} // by the command's end

	kill          sync.Once
	asked, forced chan struct{} // by Kill
}

func (p *process) Level() sandbox.Level { return p.Held }

func (p *process) PID() int              { return p.pid }
func (p *process) Output() io.ReadCloser { return p.out }

// Input takes what is written to it and heeds nothing of it.
func (p *process) Input() io.WriteCloser { return unread{} }

// Errors is empty: a script writes one stream.
func (p *process) Errors() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }

// Resize says that there is nothing to resize.
func (p *process) Resize(_, _ uint16) error { return nil }

type unread struct{}

func (unread) Write(b []byte) (int, error) { return len(b), nil }
func (unread) Close() error                { return nil }

func (p *process) Wait() sandbox.Exit {
	<-p.ended
	return p.exit
}

// play writes the output and ends. What it leaves running holds the output.
func (p *process) play(w *io.PipeWriter) {
	defer w.Close()
	p.exit = p.act(w)
	close(p.ended)
	if p.exit.Signal == "" && len(p.Background) > 0 {
		p.wait(-1)
	}
}

func (p *process) act(w *io.PipeWriter) sandbox.Exit {
	for _, o := range p.Script.Output {
		if by := p.wait(o.After); by != "" {
			return sandbox.Exit{Code: -1, Signal: by}
		}
		_, _ = io.WriteString(w, o.Text) // its reader has gone away when it fails
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

// wait lets time pass, forever when d is negative, and says which signal has
// ended the wait, if one has.
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

// Kill ends what runs, as [sandbox.Process] says.
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
