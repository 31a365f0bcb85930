package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/protect"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/tools"
)

// Options of a [Gate]. Client, Facts, Settings and Log are needed.
type Options struct {
	SessionID string
	Dir       string   // the session's folder, absolute, links resolved
	Own       []string // folders of emendo's own files, which no tool changes
	Client    frontend.Client
	Log       *slog.Logger

	Facts    func() Facts              // called at every decision
	Settings func() *settings.Settings // called at every decision

	// Policy returns the current rules; nil: the built-in ones. It is called once a
	// turn.
	Policy func(cwd string, roots []string, trusted bool) *policy.Engine
	// Answers stores what the user always allows beyond a session; nil: nothing is
	// stored.
	Answers *policy.Answers
	// Approvals stores which programs of a folder's settings may start; nil: none
	// may.
	Approvals *trust.Store
	// TrustsFolder reports whether a single folder is trusted.
	TrustsFolder func(folder string) bool
	// Held is [policy.Files.Held] for these folders; nil: nothing of them can be had back.
	Held     func(folders *disk.Tree) func(path string) bool
	Commands Commands
}

// Facts are what decisions depend on besides the call.
type Facts struct {
	Mode    policy.Mode
	Trusted bool // whether all of the session's folders are
	Elicits bool // whether the model may ask the user questions
	Folders *disk.Tree
	Roots   []string // absolute, links resolved
	Private Private  // nil: the session has none
}

// Private knows the session's own files.
type Private interface {
	// IsPlan reports whether a file is one of the session's plans.
	IsPlan(path string) bool
	// IsOutput reports whether a file is one of the session's long outputs, which its commands
	// may read.
	IsOutput(path string) bool
}

// A Gate decides about the calls of a session and remembers the user's answers.
type Gate struct {
	o         Options
	answers   answers
	questions questions
	starts    starts
	secrets   secrets
	grown     atomic.Int32 // questions about how much a command writes
	saidWhy   atomic.Bool  // the first question about a command said why commands ask here
}

// New returns the gate of a session.
func New(o Options) *Gate { return &Gate{o: o} }

// TurnOptions of a [Turn]. Emit is needed.
type TurnOptions struct {
	ID   string
	Emit func(transcript.Event)
	// Flush returns when everything emitted so far has been recorded and shown.
	Flush func() error
	// Untrusted returns the untrusted content that the model has read since the
	// user's last message.
	Untrusted func() transcript.Untrusted
	// Named reports whether the user or a search named an address.
	Named func(url string) bool
	// OpenFiles returns the open files that the editor saves before a command runs,
	// and those whose text on disk the command would see.
	OpenFiles func(context.Context) (saved, unsaved []ide.URI)
	// Review waits until the user has decided on what a call would not see, before anything
	// else is asked about it. It returns the result of a call that may not run; nil: it may.
	Review func(ctx context.Context, c Call) *tools.Result
	// Notify runs the hooks for a question; wait waits for them.
	Notify func(ctx context.Context, q frontend.Question, e tools.Effect) (wait func())
	// OnlyReads: decisions are those of plan mode, whatever the mode of the session is.
	OnlyReads bool
}

// A Turn is the gate of one turn. Changes to rule files apply from the next turn.
type Turn struct {
	gate *Gate
	o    TurnOptions

	mu sync.Mutex
	// The rules of trusted folders and of others, each set loaded on first use: a folder may
	// become trusted during the turn and bring its own.
	loaded  map[bool]*policy.Engine
	closed  map[policy.Line]tools.Access // what the user refused to lines beyond their sandbox since their last message
	refused []string                     // keys of calls refused since the user's last message
	told    []tools.Author               // of untrusted content that a call followed, which the user was told
	stored  []*policy.Rule               // of answers since the rules were read
}

// Turn returns the gate of a turn.
func (g *Gate) Turn(o TurnOptions) *Turn {
	return &Turn{gate: g, o: o, loaded: map[bool]*policy.Engine{}, closed: map[policy.Line]tools.Access{}}
}

// UserSpoke forgets what the user has refused in this turn: after a new message the
// same may be asked again.
func (t *Turn) UserSpoke() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refused = nil
	clear(t.closed)
}

// Call is a prepared call, to be decided.
type Call struct {
	Info   frontend.CallInfo
	Spec   tools.Spec
	Effect tools.Effect
	Hook   string // why a hook wants to ask the user; empty: no hook does
	Among  bool   // the same response has other calls
	// Subagent is the name of the agent that makes the call; empty: the session
	// itself.
	Subagent string
}

// Decide decides about a call. No mode lifts a denial.
func (t *Turn) Decide(c Call) Verdict {
	f := t.facts()
	_, edits := c.Effect.(tools.Edits)
	reviewed := edits && t.gate.o.Client.Abilities().Reviews
	pc := t.policyCall(f, c.Info.Name, c.Info.Args, c.Effect)
	pc.Server = c.Spec.Server
	pc.Asks, pc.Subagent = pc.Asks || reviewed, c.Subagent
	d := t.rules(f.Trusted).Decide(pc)
	v := verdictOf(d, reviewed)
	t.gate.secrets.follow(pc)
	v = t.asksAfterUntrusted(c, v)
	v = t.changed(c, v)
	return t.hooked(c, reviewed, v).terms(d)
}

// changed asks about an MCP tool whose definition has changed since the user last
// allowed it, whatever the rules allow: a harmless server may have been replaced.
func (t *Turn) changed(c Call, v Verdict) Verdict {
	if c.Spec.Server == nil || !c.Spec.Server.Changed || v.Kind == Deny {
		return v
	}
	reason := fmt.Sprintf("The server %s has changed the definition of its tool %s since you last allowed it.", tools.Shown(c.Spec.Server.Server), tools.Shown(c.Spec.Server.Tool))
	if v.Kind == Ask {
		v.reason = joinSentences(reason, v.reason)
		return v
	}
	return t.gate.ask("changed definition", reason)
}

// hooked adds a hook's request to ask the user to a verdict.
func (t *Turn) hooked(c Call, reviewed bool, v Verdict) Verdict {
	switch {
	case c.Hook == "" || v.Kind == Deny:
		return v
	case v.Kind != Allow: // the user reads both reasons
		v.reason = joinSentences(v.reason, c.Hook)
		return v
	case reviewed:
		return Verdict{Kind: Review, reason: c.Hook}
	}
	return t.gate.ask("hook", c.Hook)
}

// Policy returns the decision of the rules alone. args may be those of a call that
// was never prepared.
func (t *Turn) Policy(tool string, args json.RawMessage, e tools.Effect) policy.Decision {
	f := t.facts()
	return t.rules(f.Trusted).Decide(t.policyCall(f, tool, args, e))
}

// Excluded returns a predicate that reports whether the rules exclude a tool
// whatever its arguments.
func (t *Turn) Excluded() func(tools.Spec) bool {
	f := t.facts()
	c := t.policyCall(f, "", nil, nil)
	return func(s tools.Spec) bool {
		c.Tool, c.Server = s.Name, s.Server
		_, off := t.rules(f.Trusted).Excluded(c)
		return off
	}
}

// facts returns what the decisions of the turn depend on.
func (t *Turn) facts() Facts {
	f := t.gate.o.Facts()
	if t.o.OnlyReads {
		f.Mode = policy.Plan
	}
	return f
}

func (t *Turn) policyCall(f Facts, tool string, args json.RawMessage, e tools.Effect) policy.Call {
	o := t.gate.o
	s := o.Settings()
	c := policy.Call{
		Tool: tool, Args: args, Effect: e, Mode: f.Mode, Trusted: f.Trusted, Asks: o.Client.Abilities().Asks, Elicits: f.Elicits,
		Dir: o.Dir, Roots: f.Roots, Files: files{t.gate, f, t.gate.place(f)}, Answers: t.answered(), NoAlways: s.Security.NoAlways,
	}
	if f.Trusted { // finding out starts processes, and nothing runs in a restricted folder
		_, runs := e.(tools.Runs)
		c.Shell = o.Commands.shell(policy.Asking(s.Tools.Shell.Ask), f.Roots, !runs)
	}
	if o.Commands.Confinement != nil {
		c.Reach = sessionReach{o.Commands.Confinement, o.SessionID, f}
	}
	return c
}

// place returns how paths in the session's folders are protected.
func (g *Gate) place(f Facts) protect.Place {
	p := protect.Place{Tree: f.Folders}
	for _, own := range g.o.Own {
		if own != "" {
			p.Own = append(p.Own, disk.RealPath(own))
		}
	}
	return p
}

func (t *Turn) rules(trusted bool) *policy.Engine {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.loaded[trusted] == nil {
		t.loaded[trusted] = t.gate.rules(trusted)
	}
	return t.loaded[trusted]
}

func (g *Gate) rules(trusted bool) *policy.Engine {
	e := policy.New(nil, nil)
	if f := g.o.Policy; f != nil {
		e = f(g.o.Dir, g.o.Facts().Roots, trusted)
	}
	return e.With(policy.Lists(g.o.Settings().Tools).Rules())
}
