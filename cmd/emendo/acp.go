package main

import (
	"context"
	"encoding/json"
	"flag"
	"path/filepath"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/acp/host"
	"github.com/emendo-dev/emendo/acp/serve"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/cmd/emendo/auth"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/servers"
	"github.com/emendo-dev/emendo/internal/providers"
	"github.com/emendo-dev/emendo/lsp"
)

// acpFlags are the command line of `emendo acp`.
type acpFlags struct {
	run            runFlags
	login, preview bool
}

// acp serves an ACP client.
func (p process) acp(f *flag.FlagSet) cli.Run {
	var o acpFlags
	o.run.ofSessions(f)
	f.BoolVar(&o.run.trust, "trust", false, "trust the folders of the sessions while the agent runs")
	f.BoolVar(&o.run.debug, "debug", false, "log debug messages too")
	f.BoolVar(&o.login, "login", false, "sign in at the terminal, as emendo auth login does, and do not serve")
	f.BoolVar(&o.preview, "experimental-v2", false, "serve clients that ask for it by the preview of version 2 of the protocol")
	return func(ctx context.Context, _ []string) error { return p.serveACP(ctx, o) }
}

// serveACP serves the client until it ends.
func (p process) serveACP(ctx context.Context, o acpFlags) error {
	if err := o.run.check(nil, nil); err != nil {
		return err
	}
	if o.login {
		return p.withLogins(func(c auth.Command) error { return c.Login(ctx) })
	}
	return p.serving(ctx, "acp.log", o.run.debug, func(base wiring, _, cwd string) error {
		base.flags = o.run.settings()
		store := transcript.NewStore(filepath.Join(base.paths.State, "sessions"))
		store.Unread, store.Secrets = func(err error) { base.log.Warn(err.Error()) }, p.secrets
		return serve.Serve(ctx, p.stdin, p.stdout, serve.Options{
			Version: version, Models: optionsOf(p.offered()), Mode: policy.Mode(o.run.mode), Cwd: cwd, Store: store, Editors: filepath.Join(base.paths.State, "editors"), Log: base.log,
			Preview: o.preview, AuthMethods: authMethods(), SignedIn: base.signedIn,
			Start: func(_ context.Context, s host.Start) (*host.Host, error) { return base.startACP(s, o.run) },
		})
	})
}

// optionsOf returns models as sessions offer them.
func optionsOf(models []lsp.ModelInfo) (l []acp.OptionValue) {
	for _, m := range models {
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
func (w wiring) signedIn(context.Context) error {
	s, err := w.process.load(w.paths, "", false, nil, w.flags, func(text string) { w.log.Warn(text) })
	if err != nil {
		return err
	}
	m, err := w.models(s)
	if err != nil {
		return err
	}
	_, _, err = m.Generator(s.Model.Name)
	return err
}

// startACP implements [serve.Options.Start].
func (w wiring) startACP(s host.Start, r runFlags) (_ *host.Host, err error) {
	if w.trusted, w.approvals, err = w.process.runTrust(w.paths, r.trust, place{cwd: s.Folder, roots: []string{s.Folder}}, w.log); err != nil {
		return nil, err
	}
	w.client, w.workspace, w.editor, w.terminals = s.Client, s.Workspace, s.Editor, s.Terminals
	nothing := func() json.RawMessage { return nil }
	warnings := w.follow(s.Folder, nothing, nothing, s.Warn)
	if err := w.confined.Demand(w.settings.Tools.Sandbox); err != nil {
		return nil, exit{exitSandbox, err}
	}
	handed := &servers.Handed{Folder: s.Folder}
	w.handed, w.allowed = handed.Of, splitTools(r.allowed)
	a, _, err := w.agent()
	if err != nil {
		return nil, err
	}
	endTidying := w.startCleanUp(a, startGrace, s.Warn)
	return &host.Host{
		Agent: a, Trusted: w.trusted, Warnings: warnings, Serve: handed.Set,
		Include: func(folders []string) []string { return w.include(folders, splitList(r.include), s.Warn) },
		Close:   func() error { return w.close(a, endTidying) },
	}, nil
}
