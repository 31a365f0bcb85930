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
		args: os.Args[1:], env: os.Getenv, environ: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, level: onlyLevel,
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
)

// Exit statuses, as scripts rely on them.
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

// process is what a command sees of the world.
type process struct {
	args    []string
	env     func(string) string
	environ []string
	stdin   *os.File
	stdout  io.Writer
	stderr  io.Writer
	level   string           // the letter of the one sandbox level to use; empty: the best
	secrets *redact.Redactor // what may not be written anywhere; nil: that of the environment
}

// signalled is the cause of a context that a signal ended.
type signalled struct{ signal syscall.Signal }

func (s signalled) Error() string { return "ended by signal " + s.signal.String() }

// code is the exit status of a process that the signal ended.
func (s signalled) code() int { return 128 + int(s.signal) }

// patience is how long an orderly end may take after a signal. What is left then
// is ended as by a kill: everything that was shown is on the disk.
const patience = 3 * time.Second

// untilSignal gives a context that ends with a [signalled] cause. The process has
// some patience then for what it is at; a second signal ends it at once. A signal
// that the process was started to ignore, as nohup does, stays ignored.
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

// command is a word of the command line.
type command struct {
	name string
	args string // of its usage line
	what string
	run  func(p process, ctx context.Context, args []string) error
}

func commands() []command {
	return []command{
		{"lsp", lspUsage, "serve an editor over standard input and output, a pipe or a loopback port", process.lsp},
		{"run", "[flags] [PROMPT]", "answer one prompt without an editor", process.runPrompt},
		{"demo", "", "play the whole job on a throw-away project, without a key or a network", process.demo},
		{"sessions", sessionsUsage, "stored sessions", process.sessions},
		{"policy", policyUsage, "what would become of a command or a call of a tool", process.policy},
		{"doctor", doctorUsage, "what is lacking on this machine, and what to do about it", process.doctor},
		{"trust", trustUsage, "folders that may run commands", process.trust},
		{"version", "[--json]", "the version", process.version},
	}
}

// exit is an error that chooses the exit status.
type exit struct {
	code int
	err  error // nil: nothing is said
}

func (e exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e exit) Unwrap() error { return e.err }

// badInput is a mistake on the command line.
func badInput(format string, a ...any) error { return exit{exitInput, fmt.Errorf(format, a...)} }

// run runs the command line and gives the exit status.
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
	if errors.As(err, &e) {
		code = e.code
	}
	var settings *settings.FileError
	var rules *policy.FileError
	switch text := visible.OneLine(printable(p.secrets.Text(err.Error()))); {
	case text == "":
	case isPipeClosed(err): // whoever read has had enough, and knows
	case errors.As(err, &settings), errors.As(err, &rules):
		fmt.Fprintln(p.stderr, text) // FILE:LINE:COLUMN, where editors find it
	default:
		fmt.Fprintln(p.stderr, "emendo: "+text)
	}
	return code
}

func (p process) dispatch(ctx context.Context) error {
	if len(p.args) == 0 {
		fmt.Fprint(p.stderr, usage())
		return exit{code: exitInput}
	}
	name, args := p.args[0], p.args[1:]
	switch name {
	case "-h", "--help", "-help", "help":
		fmt.Fprint(p.stdout, usage())
		return nil
	case "--version", "-v":
		name = "version"
	}
	i := slices.IndexFunc(commands(), func(c command) bool { return c.name == name })
	if i < 0 {
		return badInput("there is no command %q; there are %s", name, commandNames())
	}
	return commands()[i].run(p, ctx, args)
}

func commandNames() string {
	var l []string
	for _, c := range commands() {
		l = append(l, c.name)
	}
	return strings.Join(l, ", ")
}

func usage() string {
	var b strings.Builder
	b.WriteString("emendo is a coding agent that is a language server.\n\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  emendo %-9s%s\n  %17s%s\n", c.name, c.args, "", c.what)
	}
	b.WriteString("\n`emendo COMMAND -h` tells a command's flags.\n")
	return b.String()
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
