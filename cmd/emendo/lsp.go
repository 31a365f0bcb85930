package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/dial"
	"github.com/emendo-dev/emendo/cmd/emendo/logfile"
	"github.com/emendo-dev/emendo/cmd/emendo/provider"
	"github.com/emendo-dev/emendo/internal/resident"
	"github.com/emendo-dev/emendo/lsp"
)

// memoryLimit is the heap size, in bytes, at which the garbage collector works
// harder: three quarters of the intended maximum. GOMEMLIMIT overrides it.
const memoryLimit = 768 << 20

// offered returns the models for the editor's initial list.
func (p process) offered() []lsp.ModelInfo {
	paths, _ := p.folders() // without a home nothing is stored
	return provider.Offered(p.env, p.logins(paths))
}

// lspFlags are the command line of `emendo lsp`, in the form that language clients
// use.
type lspFlags struct {
	stdio  bool
	pipe   string
	socket int
	client int
	debug  bool
}

// lsp serves an editor.
func (p process) lsp(f *flag.FlagSet) cli.Run {
	var o lspFlags
	f.BoolVar(&o.stdio, "stdio", false, "use standard input and output (the default)")
	f.StringVar(&o.pipe, "pipe", "", "`FILE` connect to the named pipe or Unix socket at this path")
	f.IntVar(&o.socket, "socket", 0, "`PORT` connect to this port on the loopback interface")
	f.IntVar(&o.client, "clientProcessId", 0, "`PID` exit when this process exits")
	f.BoolVar(&o.debug, "debug", false, "log debug messages too")
	return func(ctx context.Context, _ []string) error { return p.serve(ctx, o) }
}

// serve serves an editor until it ends.
func (p process) serve(ctx context.Context, o lspFlags) error {
	if err := o.check(); err != nil {
		return err
	}
	r, w, hangUp, err := o.connect(ctx, p)
	if err != nil {
		return err
	}
	defer hangUp()
	return p.serving(ctx, "lsp.log", o.debug, func(base wiring, log, cwd string) error {
		return lsp.Serve(ctx, r, w, lsp.Options{
			Version: version, Models: p.offered(), Cwd: cwd, ClientPID: o.client, LogFile: log, Editors: filepath.Join(base.paths.State, "editors"), Log: base.log,
			Start: base.startLSP,
		})
	})
}

// serving runs the server of an editor until it ends. It logs to a file of that name, whose
// path serve gets, with the current folder and what agents are made from.
func (p process) serving(ctx context.Context, name string, debugging bool, serve func(base wiring, log, cwd string) error) error {
	paths, err := p.folders()
	if err != nil {
		return err
	}
	kept, shown := slog.LevelInfo, slog.LevelWarn
	if debugging {
		kept, shown = slog.LevelDebug, slog.LevelDebug
	}
	file := logfile.New(filepath.Join(paths.State, "logs", name))
	defer file.Close()
	log := p.logger(sink{file, kept}, sink{p.stderr, shown})
	if p.env("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	cwd, err := os.Getwd()
	if err != nil {
		cwd = "" // it was deleted; a client without folders gets an error
	}
	log.Info("serving", "version", version, "pid", os.Getpid())
	memory := &resident.Trimmer{Log: log}
	defer memory.Close()
	err = serve(wiring{process: p, paths: paths, memory: memory, log: log}, file.Path(), cwd)
	var s signalled
	if errors.As(context.Cause(ctx), &s) {
		log.Info("ended", "signal", s.signal)
		return exit{code: s.exitStatus()}
	}
	log.Info("ended", "err", err)
	return err
}

func (o lspFlags) check() error {
	ways := 0
	for _, chosen := range []bool{o.stdio, o.pipe != "", o.socket != 0} {
		if chosen {
			ways++
		}
	}
	switch {
	case ways > 1:
		return cli.BadInput("lsp takes one of --stdio, --pipe and --socket")
	case o.socket < 0 || o.socket > 65535:
		return cli.BadInput("--socket: %d is not a port", o.socket)
	case o.client < 0:
		return cli.BadInput("--clientProcessId: %d is not a process ID", o.client)
	}
	return nil
}

// connect returns the two directions of the connection to the editor.
func (o lspFlags) connect(ctx context.Context, p process) (r io.Reader, w io.Writer, hangUp func(), err error) {
	var c io.ReadWriteCloser
	switch {
	case o.pipe != "":
		c, err = dial.Pipe(ctx, o.pipe)
	case o.socket != 0:
		c, err = dial.Port(ctx, o.socket)
	default:
		return p.stdin, p.stdout, func() {}, nil
	}
	if err != nil {
		return nil, nil, nil, fmt.Errorf("connect to the editor: %w", err)
	}
	return c, c, func() { _ = c.Close() }, nil // nothing is sent afterwards
}
