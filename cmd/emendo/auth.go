package main

import (
	"github.com/emendo-dev/emendo/cmd/emendo/auth"
	"github.com/emendo-dev/emendo/cmd/emendo/browser"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/google"
	"github.com/emendo-dev/emendo/cmd/emendo/provider"
	"github.com/emendo-dev/emendo/internal/settings"
)

// auth signs in to providers.
func (p process) auth() []cli.Command { return auth.Commands(p.withLogins) }

// withLogins runs a command on the user's logins.
func (p process) withLogins(run func(auth.Command) error) error {
	paths, s, err := p.userSettings()
	if err != nil {
		return err
	}
	c, err := p.logged(paths, s)
	if err != nil {
		return exit{exitConfig, err}
	}
	return run(c)
}

// logged returns what commands on the user's logins work on.
func (p process) logged(paths settings.Paths, s settings.Settings) (auth.Command, error) {
	m, err := wiring{process: p, paths: paths, log: p.logger()}.models(s)
	client := s.Security.Auth.Google
	way := provider.Network(s.Network, p.env, p.secrets)
	return auth.Command{
		Models: m, Model: s.Model.Name, Logins: p.logins(paths), Way: way, Secrets: p.secrets,
		Google: google.Client{ID: client.ClientID, Secret: provider.Expanded(client.ClientSecret, p.env), Scopes: client.Scopes, HTTP: way},
		Stdin:  p.stdin, Stdout: p.stdout, Stderr: p.stderr, Open: browser.Find(p.environ), Portable: p.env("EMENDO_HOME") != "",
	}, err
}
