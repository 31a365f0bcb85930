package agent

import (
	"fmt"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// ruling gives the rules that hold for a turn, as their files are when they are
// first asked for. A folder may come to be trusted on the way, and bring its own.
func (s *Session) ruling() func(trusted bool) *policy.Engine {
	with, without := sync.OnceValue(func() *policy.Engine { return s.rules(true) }), sync.OnceValue(func() *policy.Engine { return s.rules(false) })
	return func(trusted bool) *policy.Engine {
		if trusted {
			return with()
		}
		return without()
	}
}

// rules are those that hold for the session now.
func (s *Session) rules(trusted bool) *policy.Engine {
	e := policy.New(nil, nil)
	if f := s.agent.o.Policy; f != nil {
		e = f(s.started.Cwd, s.roots(), trusted)
	}
	return e.With(s.agent.choices().lists().Rules())
}

// lists are what the settings say of tools.
func (c *Choices) lists() policy.Lists {
	return policy.Lists{Allowed: c.AllowedTools, Excluded: c.ExcludedTools, Asked: c.ConfirmedTools, Core: c.CoreTools}
}

// switchedOff says whether the settings leave a tool out altogether.
func (a *Agent) switchedOff(tool string) bool {
	_, off := policy.New(a.choices().lists().Rules(), nil).Excluded(policy.Call{Tool: tool, Mode: policy.Plan})
	return off
}

// standing are the user's answers that hold for the rest of the session.
func (s *Session) standing() []*policy.Rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.grants)
}

// grant has an answer hold from here on: in this session, and further where the
// user has said so.
func (s *Session) grant(o policy.Offer) error {
	s.mu.Lock()
	s.grants = append(s.grants, o.Rules...)
	s.mu.Unlock()
	if o.Scope == policy.Session {
		return nil
	}
	root := s.started.Cwd
	if o.Scope == policy.Everywhere {
		root = ""
	}
	if err := s.agent.o.Answers.Save(o, root); err != nil {
		return fmt.Errorf("the answer holds for this session only: %w", err)
	}
	return nil
}

// remains has an answer last, and tells the user when it does not.
func (t *turn) remains(o policy.Offer) {
	if err := t.session.grant(o); err != nil {
		t.session.agent.log.Error("an answer is not kept", "session", t.session.id, "err", err)
		t.emit(transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeError, Title: "Your answer is not kept", Description: err.Error()})
	}
}

// lastingOptions are the ways to answer that the user would not be asked again.
func (a *Agent) lastingOptions(offers []policy.Offer) []frontend.Option {
	var l []frontend.Option
	for _, o := range offers {
		switch o.Scope {
		case policy.Session:
			l = append(l, frontend.Option{ID: "allow_always", Name: "Always allow " + o.What + " in this session", Kind: frontend.AllowAlways})
		case policy.Project:
			if a.o.Answers != nil {
				l = append(l, frontend.Option{ID: AlwaysInProject, Name: "Always allow " + o.What + " in this project", Kind: frontend.AllowAlways})
			}
		case policy.Everywhere:
			if a.o.Answers != nil {
				l = append(l, frontend.Option{ID: AlwaysEverywhere, Name: "Always allow " + o.What + " everywhere, in every project", Kind: frontend.AllowAlways})
			}
		}
	}
	return l
}

// The ids of options that reach further than the session.
const (
	AlwaysInProject  = "allow_always_project"
	AlwaysEverywhere = "allow_always_everywhere"
)

// chosen is the offer that an option stands for.
func chosen(offers []policy.Offer, option string) (policy.Offer, bool) {
	scopes := map[string]policy.Scope{"allow_always": policy.Session, AlwaysInProject: policy.Project, AlwaysEverywhere: policy.Everywhere}
	i := slices.IndexFunc(offers, func(o policy.Offer) bool { return o.Scope == scopes[option] })
	if i < 0 {
		return policy.Offer{}, false
	}
	return offers[i], true
}
