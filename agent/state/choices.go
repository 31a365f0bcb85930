package state

import (
	"time"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/compact"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/subagent/remote"
	"github.com/emendo-dev/emendo/agent/tuning"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/tools"
)

// Choices are the user's settings. They may change between turns.
type Choices struct {
	Model string      // of new sessions
	Mode  policy.Mode // of new sessions; empty is Default
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
	Tuning    *tuning.Table        // nil: the built-in table
	Routing   Routing
	Retry     model.RetryOptions
	Fallback  Fallback // empty: never

	MaxSteps int  // model requests per turn; 0: 100, negative: no limit
	MayLoop  bool // do not stop a model that repeats itself
	// ChecksSpeaker makes a small model judge whether an answer without a call broke
	// off. If so, the model is asked to continue.
	ChecksSpeaker bool

	Tools         []tools.Tool
	AllowedTools  []string // names, or run_shell_command(PREFIX), that need no approval
	ExcludedTools []string // always denied
	// ConfirmedTools always need approval. If CoreTools is not empty, no other tool
	// may be called. All four lists have the syntax of tools.allowed.
	ConfirmedTools, CoreTools []string
	PatchesAlways             bool          // offer apply_patch to every model, not only to those trained on patches
	Ask                       policy.Asking // about commands in a sandbox; empty is policy.AskOutside
	NoAlways                  bool          // remember no approvals, and ignore remembered ones
	Hooks                     hooks.Config  // the user's commands at events
	LanguageServers           LanguageServers
	EditsWait                 EditsWait // empty is WaitTurn
	JobsEnd                   JobsEnd   // how the end of a background command is reported; empty: JobsSilent

	NoSkills       bool     // offer no skills
	DisabledSkills []string // names of skills that are not offered
	NoAgents       bool     // offer no subagents
	DisabledAgents []string // names of subagents that are not offered
	RemoteAgents   remote.Options

	briefing.Settings // for the context beside the conversation

	CompactAt  float64             // fraction of the context limit at which a conversation is compacted; 0: compact.DefaultThreshold
	Masking    compact.MaskOptions // which old tool results are masked; the session sets Save
	LongOutput int                 // most characters of a call's output for the model; 0: compact.DefaultOutput, negative: only the limit of 64 KiB
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

// defaultSteps is the default limit of model requests per turn.
const defaultSteps = 100

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
	if c.Catalogue == nil {
		c.Catalogue = catalogue.BuiltIn()
	}
	if c.Fallback == "" {
		c.Fallback = FallbackNever
	}
	if c.Mode == "" {
		c.Mode = policy.Default
	}
	if c.MaxSteps == 0 {
		c.MaxSteps = defaultSteps
	}
	if c.JobsEnd == "" {
		c.JobsEnd = JobsSilent
	}
	if c.EditsWait == "" {
		c.EditsWait = WaitTurn
	}
	if c.LongOutput == 0 {
		c.LongOutput = compact.DefaultOutput
	}
	a.chosen.Store(&c)
}

// Fallback selects whether another model may replace one that cannot answer.
type Fallback string

// The values of [Fallback].
const (
	FallbackNever  Fallback = "never"
	FallbackAsk    Fallback = "ask" // ask the user; never if no user is available
	FallbackAlways Fallback = "always"
)

// LanguageServers configures the language servers that emendo starts itself.
type LanguageServers struct {
	Programs []langserver.Program // none: no server is started
	Verify   bool                 // check edits before the user sees them
	// VerifyTime is how long the edits of a step wait for the check.
	VerifyTime time.Duration
}

// EditsWait selects what waits for the user's decision about proposed edits, where the
// user decides hunk by hunk.
type EditsWait string

// The values of [EditsWait].
const (
	WaitTurn   EditsWait = "turn"   // commands wait for the edits of their own turn
	WaitAlways EditsWait = "always" // each edit call waits
	WaitNever  EditsWait = "never"  // nothing waits
)

// JobsEnd selects how the end of a background command is reported.
type JobsEnd string

// The values of [JobsEnd]. Reports are sent with the next step of a turn.
const (
	JobsSilent JobsEnd = "silent" // not at all, unless the command created protected files: then as notify
	JobsNotify JobsEnd = "notify" // with a notice
	JobsInject JobsEnd = "inject" // with a notice, and the model reads the end of the output
)

// Routing configures the choice of a model if the user leaves it to emendo.
type Routing struct {
	Plans      bool // the strong model plans, the fast one implements approved plans
	Classifier bool // a small model classifies each prompt first
}
