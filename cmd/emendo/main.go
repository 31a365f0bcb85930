// Command emendo is a coding agent that is a language server. This package
// owns the process: the command line, the environment, signals, exit statuses
// and what a script reads on standard output. It wires the other packages
// together and does nothing of theirs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/internal/redact"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/visible"
)

func main() {
	if !inspectable {
		sandbox.Conceal()
	}
	p := process{
		args: os.Args[1:], env: os.Getenv, environ: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, level: onlyLevel, server: onlyServer,
	}
	ctx, stop := untilSignal()
	code := p.run(ctx)
	stop()
	os.Exit(code)
}

// Only tests set these: in a test's main function, or in a program that is built
// with testhooks.go.
var (
	inspectable bool   // other processes of the user may look into this one, to measure it
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
	level   string           // the letter of the one sandbox level to use; empty: the best
	server  string           // HOST:PORT of the server that every host on the web is; empty: the web itself
	secrets *redact.Redactor // nil: the secrets in the environment
}

// signalled is the cause of a context that a signal canceled.
type signalled struct{ signal syscall.Signal }

func (s signalled) Error() string { return "ended by signal " + s.signal.String() }

// code returns the exit status of a process that the signal ended.
func (s signalled) code() int { return 128 + int(s.signal) }

// patience limits an orderly shutdown after a signal. Whatever still runs then is
// killed, which loses nothing: everything that was shown is on disk.
const patience = 3 * time.Second

// untilSignal returns a context that a signal cancels with a [signalled] cause. The
// process then has some patience to shut down; a second signal ends it at once. A
// signal that the process was started to ignore, as nohup does, stays ignored.
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
		case <-c: // it is closed: the process is about to end
		case <-time.After(patience):
			os.Exit(why.code())
		}
	}()
	return ctx, func() {
		signal.Stop(c)
		close(c)
		<-done
		cancel(nil)
	}
}

// exit is an error that chooses the exit status.
type exit struct {
	code int
	err  error // nil: nothing is printed
}

func (e exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e exit) Unwrap() error { return e.err }

// badInput returns the error for a mistake on the command line.
func badInput(format string, a ...any) error { return exit{exitInput, fmt.Errorf(format, a...)} }

// run runs the command line and returns the exit status.
func (p process) run(ctx context.Context) int {
	if p.secrets == nil {
		p.secrets = redact.New(redact.Environment(p.environ)...)
	}
	err := p.dispatch(ctx)
	if err == nil {
		return exitOK
	}
	code := exitFailure
	var e exit
	var input *cli.InputError
	switch {
	case errors.As(err, &e):
		code = e.code
	case errors.As(err, &input):
		code = exitInput
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

func (p process) dispatch(ctx context.Context) error {
	program := commands{p}.program()
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
	return program.Execute(ctx, p.stdout, args)
}

// printable leaves out what would steer a terminal: control characters but
// line ends and tabs, and marks that turn the direction of text. What a model,
// a file or a folder's name says cannot act on the user's screen.
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
