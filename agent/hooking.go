package agent

import (
	"context"
	"path/filepath"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/internal/trust"
)

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

// mostHooks is how many run at once, of all sessions: a model may make any number
// of calls in one answer, each with its hooks.
const mostHooks = 16

// scene is where events of the session take place.
func (s *Session) scene() hooks.Scene {
	sc := hooks.Scene{SessionID: s.id, Transcript: s.log.Path(), Cwd: s.started.Cwd, Project: s.work.Roots()[0], Folders: s.work.Roots(), At: s.agent.o.Now()}
	if all := s.agent.o.PlansDir; all != "" {
		sc.Plans = filepath.Join(all, s.id) // there once a plan is
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
		return h.Source != hooks.Project || t.gate.MayStart(ctx, h.Folder, s.entryOf(h))
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
		if h.Source != hooks.Project || s.gate.Approved(h.Folder, s.entryOf(h)) {
			return true
		}
		s.agent.log.Warn("a hook is not started: it was not approved as it is", "session", s.id, "event", in.Event(), "hook", h.Label())
		return false
	})
	for _, r := range o.Runs {
		if made := madeBy(r); made != "" {
			s.agent.log.Warn("a hook made protected files", "session", s.id, "event", in.Event(), "hook", r.Hook.Label(), "made", made)
		}
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
	e.Unseen = shellcmd.Indirect(h.Command, s.started.Cwd, h.Env)
	e.Outside = !s.agent.choices().Hooks.Sandboxed(h)
	if s.started.Cwd != disk.RealPath(h.Folder) {
		e.Dir = filepath.Clean(s.started.Cwd)
	}
	return e
}
