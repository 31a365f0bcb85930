package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/trust"
)

// What hooks have the model told.
const (
	kindHook  = "hook"          // with a prompt, with which it goes
	kindStart = "session_start" // when the session began, which is not repeated
)

// HookRun is what a notice tells of the hooks that an event has run.
type HookRun struct {
	Names      []string `json:"names"` // in the order in which they ran
	Event      string   `json:"event"`
	DurationMS int64    `json:"durationMs"`
	// Outcome is "ok", "failed", "asked", "blocked" or "stopped".
	Outcome string `json:"outcome"`
}

// halt is that a hook ends the turn.
type halt struct {
	stops  bool // else it blocks: what was about to happen must not
	reason string
}

// hooking is what a session remembers of its hooks.
type hooking struct {
	mu    sync.Mutex
	begun bool            // SessionStart has been told in this process
	ended bool            // and SessionEnd
	told  map[string]bool // failures that the user was told of
}

// hooks are those that are configured now; false when there is none for the
// event, or the session's folders are not trusted.
func (s *Session) hooks(e hooks.Event) (hooks.Engine, bool) {
	a := s.agent
	c := a.choices().Hooks
	if a.o.HookRunner == nil || !c.Has(e) || !s.Trusted() {
		return hooks.Engine{}, false
	}
	return hooks.Engine{Config: c, Runner: a.o.HookRunner}, true
}

// hooked says whether hooks may run at the event.
func (s *Session) hooked(e hooks.Event) bool {
	_, ok := s.hooks(e)
	return ok
}

// scene is where events of the session take place.
func (s *Session) scene() hooks.Scene {
	sc := hooks.Scene{SessionID: s.id, Transcript: s.log.path, Cwd: s.started.Cwd, Project: s.started.Roots[0], Folders: s.started.Roots, At: s.agent.o.Now()}
	if plans := s.planFolder(false); plans != nil {
		sc.Plans = plans.Folders()[0]
	}
	return sc
}

// fire runs the hooks of an event, tells the user what came of them, and gives
// what they want.
func (t *turn) fire(ctx context.Context, in hooks.Input) hooks.Outcome {
	s := t.session
	engine, ok := s.hooks(in.Event())
	if !ok || ctx.Err() != nil {
		return hooks.Outcome{}
	}
	o := engine.Fire(ctx, s.scene(), in, func(h hooks.Hook) bool {
		return h.Source != hooks.Project || t.mayStart(ctx, h.Folder, s.entryOf(h))
	})
	if o.Ran() && ctx.Err() == nil {
		t.tellOfHooks(in.Event(), o, engine.Config.Quiet)
	}
	return o
}

// fireAside runs the hooks of an event where no turn runs, so that nobody is
// asked and what they say goes to the log.
func (s *Session) fireAside(ctx context.Context, in hooks.Input) {
	engine, ok := s.hooks(in.Event())
	if !ok {
		return
	}
	o := engine.Fire(ctx, s.scene(), in, func(h hooks.Hook) bool {
		return h.Source != hooks.Project || s.approved(h.Folder, s.entryOf(h))
	})
	for _, r := range o.Runs {
		if r.Err != nil {
			s.agent.log.Warn("a hook failed", "session", s.id, "event", in.Event(), "hook", r.Hook.Label(), "err", r.Err)
		}
	}
	if m := o.Message(); m != "" {
		s.agent.log.Info("a hook says", "session", s.id, "event", in.Event(), "message", hooks.BoundedMessage(m))
	}
}

// entryOf is a project's hook as it is approved.
func (s *Session) entryOf(h hooks.Hook) trust.Entry {
	e := trust.Entry{Kind: trust.Hook, Name: trust.HookName(string(h.Event), h.Definition, h.Place, h.Name), On: string(h.Event), Command: h.Command, Env: h.Env}
	if s.started.Cwd != disk.RealPath(h.Folder) {
		e.Dir = filepath.Clean(s.started.Cwd)
	}
	return e
}

// tellOfHooks tells the user of hooks that ran: of those that failed once in a
// session, and of the others with what they have to say.
func (t *turn) tellOfHooks(e hooks.Event, o hooks.Outcome, quiet bool) {
	var ran []string
	var took time.Duration
	for _, r := range o.Runs {
		if r.Err == nil {
			ran = append(ran, r.Hook.Label())
			continue
		}
		if t.session.hooking.first(r) {
			t.emit(Notice{
				Severity: Warning, Code: NoticeHook, Title: "The hook " + r.Hook.Label() + " failed", Description: fmt.Sprintf("%s: %v. What it was to look at goes on without it.", e, r.Err),
				Hook: &HookRun{[]string{r.Hook.Label()}, string(e), r.Took.Milliseconds(), "failed"},
			})
		}
		took = max(took, r.Took)
	}
	message, outcome := hooks.BoundedMessage(o.Message()), outcomeOf(o)
	each := e == hooks.AfterModel && outcome == "ok" // for every piece of an answer
	if len(ran) == 0 || message == "" && (quiet || each) {
		return
	}
	n := Notice{
		Severity: Info, Code: NoticeHook, Title: fmt.Sprintf("%s ran at %s (%s, %s)", hookWords(ran), e, o.Took.Round(time.Millisecond), outcome), Description: message,
		Hook: &HookRun{ran, string(e), o.Took.Milliseconds(), outcome},
	}
	if slices.ContainsFunc(o.Runs, func(r hooks.Run) bool { return r.Err == nil && r.Said != nil && r.Said.Warns }) {
		n.Severity = Warning
	}
	t.emit(n)
}

// first says whether the user was not told of a failure yet.
func (h *hooking) first(r hooks.Run) bool {
	key := string(r.Hook.Event) + "\x00" + r.Hook.Name + "\x00" + r.Hook.Command + "\x00" + r.Err.Error()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.told[key] {
		return false
	}
	if h.told == nil {
		h.told = map[string]bool{}
	}
	h.told[key] = true
	return true
}

func outcomeOf(o hooks.Outcome) string {
	switch {
	case o.Stops():
		return "stopped"
	case o.Blocks():
		return "blocked"
	case o.Asks():
		return "asked"
	}
	return "ok"
}

func hookWords(names []string) string {
	if len(names) == 1 {
		return "The hook " + names[0]
	}
	return "The hooks " + strings.Join(names, ", ")
}

// stopTurn has the turn end once the calls that run have ended.
func (t *turn) stopTurn(h halt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.halted == nil {
		t.halted = &h
	}
}

// halting is why the turn ends; nil when it goes on.
func (t *turn) halting() *halt {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.halted
}

// tellHalt tells why a hook ends the turn, and gives the reason for its end; the
// turn's goroutine calls it last.
func (t *turn) tellHalt(h halt) StopReason {
	n := Notice{Severity: Warning, Code: NoticeBlocked, Title: "A hook blocked the turn", Description: hooks.BoundedMessage(h.reason)}
	reason := StopBlocked
	if h.stops {
		n.Code, n.Title, reason = NoticeStopped, "A hook stopped the turn", EndTurn
	}
	t.emit(n)
	t.why = n.Description
	return reason
}

// haltOf is the end that hooks want; nil when they want none.
func haltOf(o hooks.Output) *halt {
	switch {
	case o.Stops():
		return &halt{true, o.Why()}
	case o.Blocks():
		return &halt{false, o.Why()}
	}
	return nil
}

// How long hooks have when a session ends: in a hurry, because whoever ended the
// process waits, and in an orderly end.
const (
	endHooks   = 500 * time.Millisecond
	orderlyEnd = 10 * time.Second
)

var errHooksEnd = errors.New("the session ends")

// EndSessions runs the hooks of the end of all sessions while there is time for
// them. What is not done before [Agent.Close] gets half a second there.
func (a *Agent) EndSessions(ctx context.Context) {
	a.mu.Lock()
	all := slices.Collect(maps.Values(a.sessions))
	a.mu.Unlock()
	var ending sync.WaitGroup
	for _, s := range all {
		ending.Go(func() { s.endSession(ctx, "exit", orderlyEnd) })
	}
	ending.Wait()
}

// endSession runs the hooks of the session's end, once, when it had a beginning.
func (s *Session) endSession(ctx context.Context, reason string, within time.Duration) {
	s.hooking.mu.Lock()
	due := s.hooking.begun && !s.hooking.ended
	s.hooking.ended = true
	s.hooking.mu.Unlock()
	if !due {
		return
	}
	ctx, cancel := context.WithTimeoutCause(ctx, within, errHooksEnd)
	defer cancel()
	s.fireAside(ctx, hooks.EndInput{Reason: reason})
}
