package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/acp/host"
	"github.com/emendo-dev/emendo/acp/serve"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/cmd/emendo/auth"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/logfile"
	"github.com/emendo-dev/emendo/cmd/emendo/servers"
	"github.com/emendo-dev/emendo/internal/providers"
	"github.com/emendo-dev/emendo/internal/resident"
	"github.com/emendo-dev/emendo/internal/settings"
)

type acpFlags struct {
	runFlags

	login bool
}

func (o *acpFlags) define(f *flag.FlagSet) {
	f.StringVar(&o.model, "model", "", "`MODEL` the model of new sessions")
	f.StringVar(&o.mode, "approval-mode", "", "`default|auto_edit|plan|yolo` how much new sessions are allowed without approval")
	f.StringVar(&o.allowed, "allowed-tools", "", "`TOOL,...` tools that need no approval")
	f.StringVar(&o.include, "include-directories", "", "`FOLDER,...` folders to add to the workspace")
	f.BoolVar(&o.trust, "trust", false, "trust the folders of the sessions while the agent runs")
	f.BoolVar(&o.noSandbox, "no-sandbox", false, "run commands without a sandbox")
	f.BoolVar(&o.debug, "debug", false, "log debug messages too")
	f.BoolVar(&o.login, "login", false, "sign in at the terminal, as emendo auth login does, and do not serve")
	o.format = "text"
}

// acpAgent is the command that serves an ACP client.
type acpAgent struct {
	process process
	flags   *acpFlags
	paths   settings.Paths
	memory  *resident.Trimmer
	log     *slog.Logger

	preview *bool // of version 2 of the protocol
}

// acp serves an ACP client.
func (p commands) acp(f *flag.FlagSet) cli.Run {
	a := acpAgent{process: p.process, flags: &acpFlags{}}
	a.flags.define(f)
	a.preview = f.Bool("experimental-v2", false, "serve clients that ask for it by the preview of version 2 of the protocol")
	return func(ctx context.Context, _ []string) error { return a.run(ctx) }
}

// run serves the client until it ends.
func (p acpAgent) run(ctx context.Context) (err error) {
	if err := p.flags.check(nil, nil); err != nil {
		return err
	}
	if p.flags.login {
		return commands{p.process}.withLogins(func(c auth.Command) error { return c.Login(ctx) })
	}
	if p.paths, err = p.process.folders(); err != nil {
		return err
	}
	kept, shown := slog.LevelInfo, slog.LevelWarn
	if p.flags.debug {
		kept, shown = slog.LevelDebug, slog.LevelDebug
	}
	file := logfile.New(filepath.Join(p.paths.State, "logs", "acp.log"))
	defer file.Close()
	p.log = p.process.logger(sink{file, kept}, sink{p.process.stderr, shown})
	if p.process.env("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	cwd, err := os.Getwd()
	if err != nil {
		cwd = "" // it was deleted; clients name the folders of their sessions
	}
	store := transcript.NewStore(filepath.Join(p.paths.State, "sessions"))
	store.Unread, store.Secrets = func(err error) { p.log.Warn(err.Error()) }, p.process.secrets
	p.log.Info("serving", "version", version, "pid", os.Getpid())
	p.memory = &resident.Trimmer{Log: p.log}
	defer p.memory.Close()
	err = serve.Serve(ctx, p.process.stdin, p.process.stdout, serve.Options{
		Version: version, Models: p.process.offeredOptions(), Mode: policy.Mode(p.flags.mode), Cwd: cwd, Store: store, Editors: filepath.Join(p.paths.State, "editors"), Log: p.log,
		Preview: *p.preview, AuthMethods: authMethods(), SignedIn: p.signedIn, Start: p.start,
	})
	var s signalled
	if errors.As(context.Cause(ctx), &s) {
		p.log.Info("ended", "signal", s.signal)
		return exit{code: s.code()}
	}
	p.log.Info("ended", "err", err)
	return err
}

// offeredOptions returns the models that sessions offer.
func (p process) offeredOptions() (l []acp.OptionValue) {
	for _, m := range p.offered() {
		l = append(l, acp.OptionValue{Value: m.ID, Name: m.Name, Description: m.Description})
	}
	return l
}

// authMethods returns the ways to sign in to the model's provider.
func authMethods() []acp.AuthMethod {
	return []acp.AuthMethod{
		{Type: acp.TerminalAuth, ID: "login", Name: "Sign in", Description: "Store the key of a provider, or sign in with Google, in a terminal.", Args: []string{"--login"}},
		{ID: "api-key", Name: "API key", Description: "Run `emendo auth login` in a terminal, which stores the key of a provider. Or set a provider's variable, such as " + providers.All[0].Keys[0] + ", in the environment of `emendo acp`, which the editor's configuration of the agent can do."},
		{ID: "vertex-ai", Name: "Vertex AI", Description: "Set GOOGLE_GENAI_USE_VERTEXAI=true, GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION in the environment of `emendo acp`."},
	}
}

// signedIn returns an error if there are no credentials for the default model.
func (p acpAgent) signedIn(context.Context) error {
	s, err := p.process.load(p.paths, "", false, nil, p.flags.settings(), func(w string) { p.log.Warn(w) })
	if err != nil {
		return err
	}
	m, err := wiring{process: p.process, paths: p.paths, log: p.log}.models(s)
	if err != nil {
		return err
	}
	_, _, err = m.Generator(s.Model.Name)
	return err
}

// start implements [serve.Options.Start].
func (p acpAgent) start(_ context.Context, s host.Start) (*host.Host, error) {
	at := place{cwd: s.Folder, roots: []string{s.Folder}}
	trusted, approvals, err := p.process.runTrust(p.paths, p.flags.trust, at, p.log)
	if err != nil {
		return nil, err
	}
	nothing := func() json.RawMessage { return nil }
	w, warnings := hosting{process: p.process, paths: p.paths, flags: p.flags.settings(), memory: p.memory, log: p.log}.wire(beside{
		project: s.Folder, trusted: trusted, approvals: approvals, client: s.Client, workspace: s.Workspace, editor: s.Editor,
		user: nothing, configuration: nothing, warn: s.Warn,
	})
	if err := w.confined.Demand(w.settings.Tools.Sandbox); err != nil {
		return nil, exit{exitSandbox, err}
	}
	handed := &servers.Handed{Folder: s.Folder}
	w.handed, w.allowed, w.terminals = handed.Of, splitTools(p.flags.allowed), s.Terminals
	a, _, err := w.agent()
	if err != nil {
		return nil, err
	}
	endTidying := w.tidy(a, startGrace, s.Warn)
	return &host.Host{
		Agent: a, Trusted: trusted, Warnings: warnings, Serve: handed.Set,
		Include: func(folders []string) []string {
			at := place{cwd: folders[0], roots: folders}
			at.include(append(splitList(p.flags.include), w.now().Context.IncludeDirectories...), trusted, s.Warn)
			return at.roots
		},
		Close: func() error {
			endTidying()
			endTelemetry(a)
			w.confined.Close()
			return s.Workspace.Snapshot().Tree().Close()
		},
	}, nil
}
