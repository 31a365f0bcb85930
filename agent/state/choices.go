package state

import (
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/subagent/remote"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/tools"
)

// Choices are what the user has chosen. They may change between turns.
type Choices struct {
	Settings *settings.Settings // nil: the defaults
	Model    string             // of new sessions
	// Generator returns the generator for a model's name, which may begin with a
	// provider ("gemini/…"), and the provider's name for the model. It sends no
	// request. Without credentials it returns a [*model.Error] of kind Auth.
	Generator func(name string) (g model.Generator, providerName string, err error)
	// Provider returns the provider that a name without one belongs to, such as
	// "openai"; "" is Google. nil: always Google.
	Provider func(name string) string
	// Providers returns the configured providers, the default first, for lists of
	// models; nil: only the default.
	Providers func() []ProviderInfo
	Catalogue *catalogue.Catalogue // nil: the built-in one
	Tuning    *catalogue.Tuning    // nil: the built-in table

	Tools           []tools.Tool
	Hooks           hooks.Config         // the user's commands at events
	LanguageServers []langserver.Program // that emendo starts itself; none: no server is started
	RemoteAgents    remote.Options
	GitExcludes     string // the user's ignore rules for all repositories
}

// ProviderInfo is a configured provider.
type ProviderInfo struct {
	Name string
	// OnRequest means that the provider is only contacted when the user refreshes a
	// list, because its server may not be running.
	OnRequest bool
	// Local means that it is a server on this machine, or one that only the settings name.
	Local bool
}

// Choices returns the current settings. Callers do not keep them: they may change
// with the next prompt.
func (a *Process) Choices() *Choices { return a.chosen.Load() }

// Renew updates the settings. It is called before a turn starts and before a
// session is created.
func (a *Process) Renew() {
	if a.Options.Renew == nil {
		return
	}
	a.renewing.Lock()
	defer a.renewing.Unlock()
	c := *a.Choices()
	a.Options.Renew(&c)
	a.choose(c)
}

// choose replaces the settings and fills in defaults.
func (a *Process) choose(c Choices) {
	if c.Settings == nil {
		s := settings.Defaults()
		c.Settings = &s
	}
	if c.Catalogue == nil {
		c.Catalogue = catalogue.BuiltIn()
	}
	if c.Tuning == nil {
		c.Tuning = builtInTuning
	}
	a.chosen.Store(&c)
}

// Settings returns the user's current settings, which do not change. Callers do not keep
// them: others may apply from the next prompt.
func (a *Process) Settings() *settings.Settings { return a.Choices().Settings }

// Ask returns when commands in a sandbox need approval.
func (a *Process) Ask() policy.Asking { return policy.Asking(a.Settings().Tools.Shell.Ask) }

// Retry returns how requests to models are repeated.
func (a *Process) Retry() model.RetryOptions {
	return model.RetryOptions{Attempts: a.Settings().General.MaxAttempts, Rand: a.Options.Rand}
}

// Ignoring returns the rules that hide files from the model.
func (c *Choices) Ignoring() ignore.Options {
	f := c.Settings.Context.FileFiltering
	return ignore.Options{NoGit: !f.RespectGitIgnore, NoGemini: !f.RespectGeminiIgnore, Global: c.GitExcludes}
}
