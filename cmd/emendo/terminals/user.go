package terminals

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/lsp/client"
)

// ClientVariables names the variable with the names of those that the editor's extension has
// added for emendo alone, separated by commas. The user's own programs do not get them.
const ClientVariables = "EMENDO_CLIENT_VARIABLES"

// hangUpGrace is how long programs may take to end once their terminal is closed.
const hangUpGrace = 100 * time.Millisecond

// User starts what the user runs in a terminal: without a sandbox, with the user's environment
// and shell, as the editor's own terminal does.
type User struct {
	Spawner sandbox.Spawner
	Environ []string // the server's
}

// Start starts a program in a terminal.
func (u User) Start(ctx context.Context, p client.TerminalProgram) (client.Terminal, error) {
	argv, err := u.arguments(p.Command)
	if err != nil {
		return nil, err
	}
	c := sandbox.Command{Argv: argv, Dir: p.Dir, Env: u.environment(), Streams: sandbox.Interactive, Rows: p.Rows, Columns: p.Columns}
	started, err := u.Spawner.Start(ctx, c)
	if err != nil {
		return nil, err
	}
	t := &userTerminal{Reader: started.Output(), Writer: started.Input(), process: started, exited: make(chan struct{})}
	go t.wait() // ends with the program, which Close ends
	return t, nil
}

// arguments returns what runs a command line, or the shell alone.
func (u User) arguments(line string) ([]string, error) {
	shell := u.variable("SHELL")
	if !filepath.IsAbs(shell) {
		argv, err := sandbox.Shell("", "", u.Environ)
		if err != nil {
			return nil, err
		}
		shell = argv[0]
	}
	if line == "" {
		return []string{shell}, nil
	}
	return []string{shell, "-c", line}, nil
}

func (u User) variable(name string) (value string) {
	for _, v := range u.Environ {
		if text, ok := strings.CutPrefix(v, name+"="); ok {
			value = text
		}
	}
	return value
}

// environment returns the user's environment, with a description of the terminal.
func (u User) environment() []string {
	without := append(strings.Split(u.variable(ClientVariables), ","), ClientVariables, "TERM", "COLORTERM", "LINES", "COLUMNS")
	env := slices.DeleteFunc(slices.Clone(u.Environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(without, name)
	})
	return append(env, "TERM=xterm-256color", "COLORTERM=truecolor")
}

// userTerminal implements [client.Terminal].
type userTerminal struct {
	io.Reader
	io.Writer
	process sandbox.Process

	exited  chan struct{} // closed when exit is set
	exit    sandbox.Exit
	closing sync.Once
}

// wait waits for the program, and ends what it has left behind: its terminal is gone.
func (t *userTerminal) wait() {
	t.exit = t.process.Wait()
	t.process.Kill(hangUpGrace)
	close(t.exited)
}

func (t *userTerminal) Resize(rows, columns uint16) error {
	return t.process.(interface {
		Resize(rows, columns uint16) error
	}).Resize(rows, columns) // as Interactive says
}

func (t *userTerminal) Wait() (code int, signal string) {
	<-t.exited
	return t.exit.Code, t.exit.Signal
}

// Close hangs up, which most programs take as a reason to end, and ends the others.
func (t *userTerminal) Close() (err error) {
	t.closing.Do(func() {
		err = t.process.Output().Close()
		t.process.Kill(hangUpGrace)
		<-t.exited
	})
	return err
}
