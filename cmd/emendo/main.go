// Command emendo is a coding agent that is a language server. This package owns the
// process: the command line, the environment, signals, exit statuses and the output
// for scripts. It wires the other packages together and has no logic of its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/cmd/emendo/auth"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/credentials"
	"github.com/emendo-dev/emendo/cmd/emendo/servers"
	"github.com/emendo-dev/emendo/internal/authority"
	"github.com/emendo-dev/emendo/internal/redact"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/internal/visible"
)

func main() {
	if !inspectable {
		sandbox.Conceal()
	}
	p := process{
		args: os.Args[1:], env: os.Getenv, environ: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, below: func() bool { return sandbox.Below(os.Getenv) }, level: onlyLevel, server: onlyServer,
	}
	ctx, stop := untilSignal()
	code := p.run(ctx)
	stop()
	os.Exit(code)
}

// These are only set by tests: in a test's main function, or in a program built
// with testhooks.go.
var (
	inspectable bool   // other processes of the user may inspect this one, to measure it
	onlyLevel   string // see process.level
	onlyServer  string // see process.server
)

// Exit statuses that scripts rely on.
const (
	exitOK        = 0
	exitFailure   = 1
	exitAuth      = 41
	exitInput     = 42
	exitConfig    = 52
	exitSandbox   = 44
	exitTurnLimit = 53
	exitTool      = 54
	exitUntrusted = 55
)

// process holds the parts of the operating system that a command uses.
type process struct {
	args    []string
	env     func(string) string
	environ []string
	stdin   *os.File
	stdout  io.Writer
	stderr  io.Writer
	below   func() bool        // reports whether a command of emendo's has started it; nil: none has
	level   string             // the letter of the only sandbox level to use; empty: the best
	server  string             // HOST:PORT of a server that replaces every host on the web; empty: none
	secrets *redact.Redactor   // nil: the secrets in the environment
	keyring *credentials.Guard // nil: that of the system
}

// signalled is the cancellation cause of a context that a signal cancelled.
type signalled struct{ signal syscall.Signal }

func (s signalled) Error() string { return "ended by signal " + s.signal.String() }

// exitStatus returns the exit status of a process that the signal ended.
func (s signalled) exitStatus() int { return 128 + int(s.signal) }

// patience limits an orderly shutdown after a signal. What still runs then is
// killed; nothing is lost, because everything that was shown is on disk.
const patience = 3 * time.Second

// untilSignal returns a context that a signal cancels with a [signalled] cause. The
// process then has limited time to shut down; a second signal ends it at once.
// Signals that were ignored at the start, as by nohup, stay ignored.
func untilSignal() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	c := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	keepPipes()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s, ok := <-c
		if !ok {
			return
		}
		signal.Stop(c)
		why := signalled{s.(syscall.Signal)}
		cancel(why)
		select {
		case <-c: // closed: the process is about to end
		case <-time.After(patience):
			os.Exit(why.exitStatus())
		}
	}()
	return ctx, func() {
		signal.Stop(c)
		close(c)
		<-done
		cancel(nil)
	}
}

// exit is an error with an exit status.
type exit struct {
	code int
	err  error // nil: print nothing
}

func (e exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e exit) Unwrap() error { return e.err }

// run runs the command line and returns the exit status.
func (p process) run(ctx context.Context) int {
	if p.secrets == nil {
		p.secrets = redact.New(redact.Environment(p.environ)...)
	}
	if p.keyring == nil {
		p.keyring = credentials.NewGuard(credentials.System(p.env), 0)
	}
	err := p.dispatch(ctx)
	if err == nil {
		return exitOK
	}
	code := exitFailure
	var e exit
	var s signalled
	switch {
	case errors.As(err, &e):
		code = e.code
	case errors.As(err, &s):
		code = s.exitStatus()
	case errors.As(err, new(*auth.RefusedError)):
		code = exitAuth
	case errors.As(err, new(*cli.InputError)), errors.Is(err, transcript.ErrUnknownSession), errors.Is(err, agent.ErrUnknownRule):
		code = exitInput
	case errors.As(err, new(*trust.UnreadableError)):
		code = exitConfig
	case errors.Is(err, servers.ErrUntrusted):
		code = exitUntrusted
	case isDiskFull(err):
		code = exitTool
	}
	var settings *settings.FileError
	var rules *policy.FileError
	switch text := visible.OneLine(printable(p.secrets.Text(err.Error()))); {
	case text == "":
	case isPipeClosed(err): // the reader closed the pipe
	case errors.As(err, &settings), errors.As(err, &rules):
		fmt.Fprintln(p.stderr, text) // FILE:LINE:COLUMN, where editors find it
	default:
		fmt.Fprintln(p.stderr, "emendo: "+text)
	}
	return code
}

// isPipeClosed reports whether err means that the reader of standard output has closed
// it. A connection or a pipe to another process that breaks is a failure like others.
func isPipeClosed(err error) bool {
	e, ok := errors.AsType[*fs.PathError](err)
	return ok && e.Path == os.Stdout.Name() && isBrokenPipe(e)
}

func (p process) dispatch(ctx context.Context) error {
	program := p.program()
	args := p.args
	if len(args) == 0 {
		fmt.Fprint(p.stderr, program.Help(""))
		return exit{code: exitInput}
	}
	switch args[0] {
	case "help": // emendo help COMMAND is emendo COMMAND --help
		args = append(slices.Clone(args[1:]), "--help")
	case "--version", "-v":
		args = append([]string{"version"}, args[1:]...)
	}
	if what := authority.Changed(p.args, true); what != "" && p.below != nil && p.below() {
		return exit{exitUntrusted, fmt.Errorf("%s changes what emendo may do, so a command of the model cannot run it: run it in a terminal of your own", what)}
	}
	return program.Execute(ctx, p.stdout, args)
}

// printable removes characters that control a terminal: control characters other
// than tabs and line ends, and bidirectional formatting. Text from a model, a file
// or a folder's name must not affect the user's screen.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
}
