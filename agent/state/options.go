package state

import (
	"log/slog"
	"time"

	"github.com/emendo-dev/emendo/agent/checkpoint"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/prompt"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/extension"
	"github.com/emendo-dev/emendo/internal/redact"
)

// Options of an [Agent]. Client, Workspace, Ledger, Store and Generator are
// needed. They stay as they are, but for the [Choices] among them.
type Options struct {
	Client    frontend.Client
	Workspace *ide.Workspace
	Ledger    *ledger.Ledger
	Editor    ide.Editor // nil: no file is open anywhere
	Store     *transcript.Store

	Choices // at first
	// Renew, when not nil, is called before each turn and each new session, and
	// brings the choices up to date. Calls come one at a time.
	Renew func(*Choices)

	// Trusted reports whether the user trusts a folder; nil: none is trusted. It is
	// called for every prompt and every call.
	Trusted func(folder string) bool
	// Approvals are what the user has decided about the programs that folders
	// name; nil: none of them is started.
	Approvals gate.Approvals
	// Policy returns the current rules for a session that works in cwd with these
	// workspace folders; nil: the built-in rules. It is called once a turn.
	Policy func(cwd string, roots []string, trusted bool) *policy.Engine
	// Answers stores remembered approvals; nil: they last as long as the session.
	Answers       *policy.Answers
	gate.Commands // how commands are sandboxed
	// Shell names the shell that runs commands; nil: the model is not told.
	Shell func() string
	// Supplies returns the supplies of a new session, without starting anything;
	// nil: there are none.
	Supplies func(*Session) []Supply
	// Extensions returns the extensions of a trusted folder, with those of the user; nil:
	// there are none.
	Extensions func(folder string) extension.List
	// HookRunner runs the user's own commands at events; nil: none is run.
	HookRunner hooks.Runner

	// ContextLimit is how many tokens a model takes; nil: what its provider or the
	// catalogue says.
	ContextLimit func(providerName string) int64
	// Cost estimates what tokens of a model cost; nil: by the catalogue.
	Cost   func(providerName string, u model.Usage) model.Usage
	Prompt prompt.Options // what of the system prompt is the user's own
	// WritePrompt, when not nil, is given the system prompt of the first
	// request, without what was written down.
	WritePrompt func(text string) error

	// Checkpoints keep what turns change; nil: nothing is kept, so files cannot
	// be rewound.
	Checkpoints *checkpoint.Store

	// Folders. One that is empty is not there, and what would be in it is not kept.
	UserDir   string   // of the user's own context files
	GeminiDir string   // of those that Gemini CLI reads too
	MemoryDir string   // private, of what is saved on the user's word
	OutputDir string   // private, for output too long for the model
	PlansDir  string   // private, for the plans of all sessions
	Own       []string // of emendo's own files, which no tool changes where a workspace holds them

	Version string           // of emendo; empty: unknown
	Secrets *redact.Redactor // what may be in no record, result or notice; nil: nothing
	Now     func() time.Time // nil: time.Now
	NewID   func() string    // nil: random
	Log     *slog.Logger     // nil: discards
}

// complete puts defaults for what is left open.
func (o Options) complete() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = transcript.RandomID
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.HookRunner != nil {
		o.HookRunner = hooks.AtMost(mostHooks, o.HookRunner)
	}
	if o.Trusted == nil {
		o.Trusted = func(string) bool { return false }
	}
	return o
}
