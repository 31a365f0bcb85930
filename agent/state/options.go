package state

import (
	"log/slog"
	"time"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/extension"
	"github.com/emendo-dev/emendo/internal/git"
	"github.com/emendo-dev/emendo/internal/redact"
	"github.com/emendo-dev/emendo/internal/trust"
)

// Options of an [Agent]. Client, Workspace, Ledger, Store, Checkpoints and
// Generator are required. They do not change, except for [Choices].
type Options struct {
	Client    frontend.Client
	Workspace *ide.Workspace
	Ledger    *ledger.Ledger
	Editor    ide.Editor // nil: no editor
	Store     *transcript.Store

	Choices // the initial ones
	// Renew, if not nil, updates the choices before each turn and each new session.
	// Calls come one at a time.
	Renew func(*Choices)

	// Trusted reports whether the user trusts a folder; nil: none is trusted. It is
	// called for every prompt and every call.
	Trusted func(folder string) bool
	// Approvals stores the user's decisions about programs in folders' settings;
	// nil: none of them is started.
	Approvals *trust.Store
	// Policy returns the current rules for a session that works in cwd with these
	// workspace folders; nil: the built-in rules. It is called once a turn.
	Policy func(cwd string, roots []string, trusted bool) *policy.Engine
	// Answers stores remembered approvals; nil: they last as long as the session.
	Answers       *policy.Answers
	gate.Commands // how commands are sandboxed
	// Shell names the shell that runs commands; nil: left out.
	Shell func() string
	// Supplies returns the supplies of a new session, without starting anything;
	// nil: there are none.
	Supplies func(*Session) []Supply
	// Extensions returns the extensions of a trusted folder and of the user; nil:
	// there are none.
	Extensions func(folder string) extension.List
	// HookRunner runs the user's own commands at events; nil: none is run.
	HookRunner hooks.Runner

	// ContextLimit returns the context limit of a model; nil: the provider's or the
	// catalogue's value.
	ContextLimit func(providerName string) int64
	Prompt       briefing.PromptOptions // the user's changes to the system prompt
	// WritePrompt, if not nil, gets the system prompt of the first request, without
	// context files and saved facts.
	WritePrompt func(text string) error

	Checkpoints *rewind.Store // of what turns change

	// Git compares files for the user; the zero value: git is not installed.
	Git git.Program

	// Folders. What belongs into an empty one is not stored.
	UserDir    string   // the user's context files
	GeminiDir  string   // context files that Gemini CLI reads too
	MemoryDir  string   // private, for saved facts
	ToldDir    string   // private, for marks of what the user was told once; empty: nothing is
	WorkDir    string   // private, where processes note where they work
	OutputDir  string   // private, for output too long for the model
	PlansDir   string   // private, for the plans of all sessions
	RecordsDir string   // private, where a front end keeps a file ID.json of a session
	Own        []string // emendo's own files, which no tool may change

	Observer Observer // measures sessions; nil: nobody
	// Memory is given back between turns; nil: it is kept.
	Memory Memory

	Version string           // of emendo; empty: unknown
	Secrets *redact.Redactor // kept out of records, results and notices; nil: none
	Now     func() time.Time // nil: time.Now
	NewID   func() string    // nil: random
	Rand    func() float64   // of the pauses before repeated requests; nil: random
	Log     *slog.Logger     // nil: discards
}

// Memory is what the process has in memory, which stays there from Use to Done.
type Memory interface {
	Use()
	Done()
}

// complete fills in defaults.
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
