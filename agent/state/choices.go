package state

import (
	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/compact"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/tuning"
	"github.com/emendo-dev/emendo/tools"
)

// Choices are what the user chooses by settings, which may change between two
// turns.
type Choices struct {
	Model string      // of new sessions
	Mode  policy.Mode // of new sessions; empty is Default
	// Generator finds the model of that name, which may have a provider in
	// front ("gemini/…"). It gives the name that the provider knows. It sends
	// nothing. Without credentials it answers a [*model.Error] of kind Auth.
	Generator func(name string) (g model.Generator, providerName string, err error)
	Tuning    *tuning.Table // how models are asked; nil: as they are built in
	Routing   Routing
	Retry     model.RetryOptions
	Fallback  Fallback // empty: never

	MaxSteps int  // model requests in a turn; 0 is 100, negative no limit
	MayLoop  bool // a model that repeats itself is not stopped
	// ChecksSpeaker: after an answer without a call a model is asked whether it
	// broke off; then it is told to go on.
	ChecksSpeaker bool

	Tools         []tools.Tool
	AllowedTools  []string // names, and run_shell_command(PREFIX), that need no question
	ExcludedTools []string // those that are always denied
	// ConfirmedTools always need a question; CoreTools, when there are any, are
	// the only ones that may be called. All four take what tools.allowed takes.
	ConfirmedTools, CoreTools []string
	NoAlways                  bool         // no answer lasts, none that was given before either
	Hooks                     hooks.Config // commands of the user's at events
	JobsEnd                   JobsEnd      // what is told of commands in the background that end; empty is JobsSilent

	briefing.Settings // of what the model is given beside the conversation

	CompactAt  float64             // share of what the model takes from which a conversation is summed up; 0: compact.DefaultThreshold
	Masking    compact.MaskOptions // which old answers of tools are masked; its Save is the session's
	LongOutput int                 // characters of a call's output that the model is given; 0: compact.DefaultOutput, below: no bound but that of 64 KiB
}

// defaultSteps is how many model requests a turn may make.
const defaultSteps = 100

// Choices are those that hold now. What is kept of them is kept for one use: the
// next prompt may bring others.
func (a *Process) Choices() *Choices { return a.chosen.Load() }

// Renew has the choices brought up to date, before a turn and before a session
// is made.
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

// choose has choices hold from here on, with defaults for what they leave open.
func (a *Process) choose(c Choices) {
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
	if c.LongOutput == 0 {
		c.LongOutput = compact.DefaultOutput
	}
	a.chosen.Store(&c)
}

// Fallback says whether another model may take over while one cannot answer.
type Fallback string

// What may be done then.
const (
	FallbackNever  Fallback = "never"
	FallbackAsk    Fallback = "ask" // the user; never where no user can be asked
	FallbackAlways Fallback = "always"
)

// JobsEnd selects what happens when a command in the background ends by itself.
type JobsEnd string

// What happens then, at the next step of a turn.
const (
	JobsSilent JobsEnd = "silent" // nothing, unless it made protected files: then as notify
	JobsNotify JobsEnd = "notify" // a notice
	JobsInject JobsEnd = "inject" // a notice, and the model reads the end of the output
)

// Routing says how a model is chosen where the user leaves that open.
type Routing struct {
	Plans      bool // the strong model plans, the fast one carries approved plans out
	Classifier bool // a small model judges each prompt first
}
