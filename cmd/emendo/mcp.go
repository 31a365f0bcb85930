package main

import (
	"github.com/emendo-dev/emendo/cmd/emendo/browser"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/servers"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
)

// here is the current folder with its trust and settings.
type here struct {
	paths    settings.Paths
	dir      string // absolute, links resolved
	store    *trust.Store
	trusted  bool
	settings settings.Settings
}

// currentFolder reads the settings of the current folder.
func (p process) currentFolder() (at here, err error) {
	if at.paths, err = p.folders(); err != nil {
		return at, err
	}
	if at.dir, err = realDir("."); err != nil {
		return at, exit{exitInput, err}
	}
	at.store = trust.Open(at.paths.State)
	if at.trusted, err = at.store.Trusts(at.dir); err != nil {
		return at, err
	}
	if at.settings, err = p.load(at.paths, at.dir, at.trusted, nil, nil, p.warn); err != nil {
		return at, exit{exitConfig, err}
	}
	return at, nil
}

// mcp manages the MCP servers.
func (p process) mcp() []cli.Command { return servers.Commands(p.withServers) }

// withServers runs a command on the MCP servers of the current folder.
func (p process) withServers(run func(servers.Command) error) error {
	at, err := p.currentFolder()
	if err != nil {
		return err
	}
	w := wiring{process: p, paths: at.paths, settings: at.settings, confined: newConfinement(p, at.paths, p.logger(), nil), log: p.logger()}
	defer w.confined.Close()
	w.confined.Use(at.settings.Tools.Sandbox)
	return run(w.serversIn(at))
}

// serversIn returns the MCP servers of a folder.
func (w wiring) serversIn(at here) servers.Command {
	p := w.process
	c := servers.Command{Stdout: p.stdout, Warn: p.warn, Settings: at.settings, Config: at.paths.Config, Store: at.store, Dir: at.dir, Trusted: at.trusted}
	c.Gemini, c.Env, c.Redact, c.Version, c.Dialer = p.geminiDir(), p.env, p.secrets.Text, version, w.servers()
	c.Extensions = w.extensions()(at.dir).Used()
	c.Logins, c.Open, c.Stdin = w.servers().Logins, browser.Find(p.environ), p.stdin
	return c
}
