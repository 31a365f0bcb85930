package main

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/cmd/emendo/servers"
	"github.com/emendo-dev/emendo/internal/trust"
)

// runMCP manages the MCP servers.
func runMCP(p process, ctx context.Context, args []string) error { //nolint:revive // as the methods of process are run
	paths, err := p.folders()
	if err != nil {
		return err
	}
	dir, err := realDir(".")
	if err != nil {
		return exit{exitInput, err}
	}
	store := trust.Open(paths.State)
	level, err := store.Decide(dir)
	if err != nil {
		return trustFailed(err)
	}
	set, err := p.load(paths, dir, level == trust.Trusted, nil, nil, p.warn)
	if err != nil {
		return exit{exitConfig, err}
	}
	w := wiring{process: p, held: &holding{process: p, paths: paths, log: p.logger()}, log: p.logger()}
	defer w.held.close()
	w.held.as(set.Tools.Sandbox)
	c := servers.Command{Stdout: p.stdout, Warn: p.warn, Settings: set, Config: paths.Config, Store: store, Dir: dir, Trusted: level == trust.Trusted}
	c.Gemini, c.Env, c.Redact, c.Version, c.Dial = p.geminiDir(), p.env, p.secrets.Text, version, w.servers().Dial
	err = c.Run(ctx, args)
	for kind, code := range map[error]int{servers.ErrInput: exitInput, servers.ErrUntrusted: exitUntrusted} {
		if errors.Is(err, kind) {
			return exit{code, err}
		}
	}
	return err
}
