package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/emendo-dev/emendo/a2a"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/internal/private"
	"github.com/emendo-dev/emendo/internal/resident"
)

// a2aToken names the variable with the token of `emendo a2a`.
const a2aToken = "EMENDO_A2A_TOKEN"

type a2aFlags struct {
	run         runFlags
	listen, url string
	tasks       int
}

func (o *a2aFlags) define(f *flag.FlagSet) {
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "`ADDRESS` the address to listen on; port 0 is a free one")
	f.StringVar(&o.url, "url", "", "`URL` the URL in the agent card, if clients reach the server at a different address")
	f.IntVar(&o.tasks, "max-tasks", a2a.DefaultTasks, "`N` the maximum number of concurrent tasks")
	f.StringVar(&o.run.cwd, "cwd", "", "`FOLDER` the folder of the sessions")
	f.BoolVar(&o.run.trust, "trust", false, "trust the folder while the server runs")
	f.BoolVar(&o.run.debug, "debug", false, "log to standard error")
	o.run.ofSessions(f)
}

// a2a serves other agents.
func (p process) a2a(f *flag.FlagSet) cli.Run {
	var o a2aFlags
	o.define(f)
	return func(ctx context.Context, _ []string) error { return serveA2A(ctx, p, o) }
}

// serveA2A serves until a signal ends it.
func serveA2A(ctx context.Context, p process, o a2aFlags) error {
	if err := o.run.check(nil, nil); err != nil {
		return err
	}
	if o.tasks < 1 {
		return cli.BadInput("--max-tasks: want at least 1, got %d", o.tasks)
	}
	paths, err := p.folders()
	if err != nil {
		return err
	}
	at, err := o.run.place(transcript.NewStore(filepath.Join(paths.State, "sessions")))
	if err != nil {
		return err
	}
	w, err := p.runWiring(o.run, paths, &at)
	if err != nil {
		return err
	}
	defer w.confined.Close()
	if err := w.confined.Demand(w.settings.Tools.Sandbox); err != nil {
		return exit{exitSandbox, err}
	}
	if mode := policy.Mode(o.run.mode); mode.Acts() && !w.trusted(at.cwd) {
		return exit{exitUntrusted, fmt.Errorf("--approval-mode %s in %s: %w", mode, at.cwd, transcript.ErrUntrusted)}
	}
	tasks := a2a.NewTasks()
	w.client, w.memory = tasks, &resident.Trimmer{Log: w.log}
	defer w.memory.Close()
	a, end, err := w.alone(at.roots)
	if err != nil {
		return err
	}
	defer end()
	defer endTelemetry(a)
	defer w.startCleanUp(a, 0, w.process.warn)()
	defer a.EndSessions(ctx)

	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.listen)
	if err != nil {
		return cli.BadInput("--listen: %v", err)
	}
	url := o.url
	if url == "" {
		url = "http://" + l.Addr().String() + "/"
	}
	token, file, err := newToken(p.env, filepath.Join(paths.State, "a2a"))
	if err != nil {
		return errors.Join(err, l.Close())
	}
	fmt.Fprintln(p.stdout, a2a.CardURL(url))
	if file != "" {
		defer os.Remove(file)
		fmt.Fprintln(p.stdout, file)
	}
	err = a2a.Serve(ctx, l, a2a.Options{Agent: a, Tasks: tasks, Cwd: at.cwd, Roots: at.roots, Mode: policy.Mode(o.run.mode), Token: token, URL: url, Version: version, MaxTasks: o.tasks, Log: w.log})
	var s signalled
	if err == nil && errors.As(context.Cause(ctx), &s) {
		return exit{code: s.exitStatus()}
	}
	return err
}

// newToken returns the token that requests must send. If the environment has none, it
// creates one and writes it to a file in the folder.
func newToken(env func(string) string, folder string) (token, file string, err error) {
	if token := env(a2aToken); token != "" {
		return token, "", nil
	}
	if err := private.Folder(folder); err != nil {
		return "", "", fmt.Errorf("create a file for the token in %s: %w", folder, err)
	}
	token = rand.Text()
	file = filepath.Join(folder, "token-"+rand.Text()[:8])
	f, err := private.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return "", "", fmt.Errorf("create a file for the token: %w", err)
	}
	_, err = fmt.Fprintln(f, token)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", "", fmt.Errorf("write the token to %s: %w", file, err)
	}
	return token, file, nil
}
