package state

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/internal/visible"
)

// FirstFailure reports whether a failure is new to the user.
func (h *hookState) FirstFailure(r hooks.Run) bool {
	key := string(r.Hook.Event) + "\x00" + r.Hook.Name + "\x00" + r.Hook.Command + "\x00" + r.Err.Error()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.reported[key] {
		return false
	}
	h.reported[key] = true
	return true
}

// hookState records which hooks of a session have run.
type hookState struct {
	mu       sync.Mutex
	begun    bool            // SessionStart has fired in this process
	ended    bool            // SessionEnd has fired since
	reported map[string]bool // failures that were reported to the user
}

// Begin records the start of a turn that may have hooks. It reports whether it is
// the first one in this process.
func (h *hookState) Begin() (first bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	first = !h.begun
	h.begun, h.ended = true, false
	return first
}

// EndSession runs the SessionEnd hooks, once, if SessionStart has fired.
func (s *Session) EndSession(ctx context.Context, reason string, within time.Duration) {
	s.HookState.mu.Lock()
	due := s.HookState.begun && !s.HookState.ended
	s.HookState.ended = true
	s.HookState.mu.Unlock()
	s.Verdicts.running.Wait()
	if !due {
		return
	}
	ctx, cancel := context.WithTimeoutCause(ctx, within, errHooksEnd)
	defer cancel()
	s.FireBetweenTurns(ctx, hooks.EndInput{Reason: reason})
}

// Hooks returns the hook engine. It reports false if no hook is configured for the
// event, or if a folder of the session is not trusted.
func (s *Session) Hooks(e hooks.Event) (hooks.Engine, bool) {
	a := s.Agent
	c := a.Choices().Hooks
	if a.Options.HookRunner == nil || !c.Has(e) || !s.Trusted() {
		return hooks.Engine{}, false
	}
	return hooks.Engine{Config: c, Runner: a.Options.HookRunner}, true
}

// HasHooks reports whether hooks may run at the event.
func (s *Session) HasHooks(e hooks.Event) bool {
	_, ok := s.Hooks(e)
	return ok
}

// mostHooks limits the hooks of all sessions that run at once: a model may make any
// number of calls in one response, each with its hooks.
const mostHooks = 16

// Scene describes the session to its hooks.
func (s *Session) Scene() hooks.Scene {
	sc := hooks.Scene{SessionID: s.SessionID, Transcript: s.Log.Path(), Cwd: s.Started.Cwd, Project: s.Work.Roots()[0], Folders: s.Work.Roots(), At: s.Agent.Options.Now()}
	if all := s.Agent.Options.PlansDir; all != "" {
		sc.Plans = filepath.Join(all, s.SessionID) // exists once there is a plan
	}
	return sc
}

// Fire runs the hooks of an event, and reports whether messages of theirs are left out.
// mayStart decides about those that need approval.
func (s *Session) Fire(ctx context.Context, in hooks.Input, mayStart func(folder string, e trust.Entry) (trust.Cleared, bool)) (o hooks.Outcome, quiet bool) {
	engine, ok := s.Hooks(in.Event())
	if !ok || ctx.Err() != nil {
		return o, true
	}
	o = engine.Fire(ctx, s.Scene(), in, func(h hooks.Hook) (trust.Cleared, bool) {
		cleared, ok := trust.Cleared{}, true
		if h.NeedsApproval() {
			cleared, ok = mayStart(h.StartsFor(s.Started.Cwd), s.HookEntry(h))
		}
		if ok {
			s.PublishHook(engine, h)
		}
		return cleared, ok
	})
	return o, engine.Config.Quiet
}

// FireBetweenTurns runs the hooks of an event while no turn runs. It does not ask
// for approval, and logs their messages.
func (s *Session) FireBetweenTurns(ctx context.Context, in hooks.Input) hooks.Outcome {
	o, _ := s.Fire(ctx, in, func(folder string, e trust.Entry) (trust.Cleared, bool) {
		cleared, ok := s.Gate.Approved(folder, e)
		if !ok {
			s.Agent.Log.Warn("a hook was not started: its current definition is not approved", "session", s.SessionID, "event", in.Event(), "hook", e.Name)
		}
		return cleared, ok
	})
	for _, r := range o.Runs {
		if made := ProtectedFilesMade(r); made != "" {
			s.Agent.Log.Warn("a hook created protected files", "session", s.SessionID, "event", in.Event(), "hook", r.Hook.Label(), "made", made)
		}
		if r.Err != nil {
			s.Agent.Log.Warn("a hook failed", "session", s.SessionID, "event", in.Event(), "hook", r.Hook.Label(), "err", r.Err)
		}
	}
	if m := o.Message(); m != "" {
		s.Agent.Log.Info("message of a hook", "session", s.SessionID, "event", in.Event(), "message", hooks.BoundedMessage(m))
	}
	return o
}

// HookEntry returns the entry under which a hook of a project or an extension is
// approved.
func (s *Session) HookEntry(h hooks.Hook) trust.Entry {
	e := h.Entry()
	e.Unseen = shellcmd.Indirect(h.Command, s.Started.Cwd, h.Env)
	e.Outside = !s.Agent.Choices().Hooks.Sandboxed(h, s.Started.Cwd)
	if h.Home == "" && s.Started.Cwd != disk.RealPath(h.Folder) {
		e.Dir = filepath.Clean(s.Started.Cwd)
	}
	return e
}

// ProtectedFilesMade describes the protected files that a hook created and where
// they were moved; empty if there are none.
func ProtectedFilesMade(r hooks.Run) string {
	var l []string
	for _, m := range r.Moved {
		l = append(l, fmt.Sprintf("%s controls what may run, so hooks may not create it. It was moved to %s.", visible.Line(m.From), visible.Line(m.To)))
	}
	if r.MovedErr != nil {
		l = append(l, "Its other new files could not be checked: "+visible.Line(r.MovedErr.Error())+".")
	}
	return strings.Join(l, " ")
}

// Time limits for the hooks at the end of a session.
const (
	// EndHooks applies while a client waits.
	EndHooks = 500 * time.Millisecond
	// OrderlyEnd applies when emendo exits and has time.
	OrderlyEnd = 10 * time.Second
)

var errHooksEnd = errors.New("the session ends")
