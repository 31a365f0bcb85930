package main

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/subagent/remote"
	"github.com/emendo-dev/emendo/cmd/emendo/credentials"
	"github.com/emendo-dev/emendo/cmd/emendo/provider"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/internal/redact"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/builtin"
	"github.com/emendo-dev/emendo/tools/tracker"
)

// choose sets the choices of an agent from the settings.
func (w wiring) choose(c *state.Choices, s settings.Settings) error {
	var err error
	if c.Tuning, err = provider.TuningOf(s.ModelConfigs); err != nil {
		return err
	}
	s.Tools.Allowed = slices.Concat(w.allowed, s.Tools.Allowed)
	tracks := s.UseWriteTodos && s.Experimental.TaskTracker
	if !s.UseWriteTodos || tracks {
		s.Tools.Exclude = append(slices.Clip(s.Tools.Exclude), "write_todos")
	}
	c.Settings, c.Model = &s, w.modelName(c, s.Model)
	c.Tools = builtin.Tools(w.commands(s), webOptions(w.process, s))
	c.Tools = slices.DeleteFunc(c.Tools, func(t tools.Tool) bool { return !tracks && strings.HasPrefix(t.Spec().Name, tracker.Prefix) })
	if c.GitExcludes, err = ignore.UserExcludes(w.process.env("HOME"), w.process.env("XDG_CONFIG_HOME")); err != nil {
		w.log.Warn(err.Error())
	}
	c.Hooks, c.LanguageServers, c.RemoteAgents = hooks.Configured(s), languageServers(s), remoteAgents(w.process, s)
	return nil
}

// modelName returns the name of the model that new sessions ask. A project's counts if its
// provider is the one that the user's own name has.
func (w wiring) modelName(c *state.Choices, m settings.Model) string {
	if m.Own == "" || c.Provider == nil || providerOf(c, m.Name) == providerOf(c, m.Own) {
		return m.Name
	}
	w.log.Warn("the project's model.name is ignored: it is a model of another provider than yours", "project's", m.Name, "yours", m.Own)
	return m.Own
}

// providerOf returns the provider that a model's name, or the preset of that name, asks.
func providerOf(c *state.Choices, name string) string {
	if strings.HasPrefix(name, "replay:") {
		return name
	}
	provider, bare, ok := strings.Cut(name, "/")
	if !ok {
		provider, bare = c.Provider(name), name
	}
	if v, err := c.Tuning.Look(catalogue.Query{Name: bare}); err == nil && v.Model != bare {
		if other, _, ok := strings.Cut(v.Model, "/"); ok && other != "models" {
			return other
		}
	}
	return provider
}

// remoteAgents returns the options for connecting to remote agents.
func remoteAgents(p process, s settings.Settings) remote.Options {
	learn := func(secret string) { p.secrets.Learn(redact.Secret{Name: "agent token", Value: secret}) }
	return remote.Options{Tokens: s.Agents.Tokens, Env: p.env, Network: provider.Network(s.Network, p.env, p.secrets), Learn: learn, Version: version}
}

// renewing returns a function that updates an agent's choices when the settings
// change; nil if now is nil.
func (w wiring) renewing(now func() settings.Settings) func(*state.Choices) {
	if now == nil {
		return nil
	}
	have := w.settings
	return func(c *state.Choices) {
		s := now()
		if reflect.DeepEqual(s, have) {
			return
		}
		if err := w.choose(c, s); err != nil {
			w.log.Error("apply changed settings", "err", err)
			return
		}
		if w.generator == nil && !(reflect.DeepEqual(s.Model, have.Model) && reflect.DeepEqual(s.Security, have.Security) && reflect.DeepEqual(s.Network, have.Network)) {
			if err := w.chooseModels(c, s); err != nil {
				w.log.Error("apply changed settings", "err", err)
			}
		}
		have = s
	}
}

// chooseModels sets the models that s configures.
func (w wiring) chooseModels(c *state.Choices, s settings.Settings) error {
	m, err := w.models(s)
	if err != nil {
		return err
	}
	c.Generator, c.Provider, c.Providers, c.Catalogue = m.Generator, m.Provider, m.Providers, m.Catalogue()
	return nil
}

// models returns the models that s configures.
func (w wiring) models(s settings.Settings) (*provider.Models, error) {
	return provider.New(provider.Options{
		Env: w.process.env, Keys: w.process.keyFile(w.paths), Logins: w.process.logins(w.paths), Network: provider.Network(s.Network, w.process.env, w.process.secrets),
		Settings: s, Version: version, Record: w.record, Log: w.log,
	})
}

// logins returns the keys and logins that `emendo auth login` stored.
func (p process) logins(paths settings.Paths) credentials.Store {
	return credentials.Store{Dir: filepath.Join(paths.State, "auth"), Keyring: p.keyring, Secrets: p.secrets}
}

// keyFile returns the user's key file.
func (p process) keyFile(paths settings.Paths) provider.KeyFile {
	return provider.KeyFile{Path: filepath.Join(paths.Config, "keys"), Secrets: p.secrets}
}
