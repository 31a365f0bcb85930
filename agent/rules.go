package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// ErrUnknownRule is returned for the ID of a rule that there is not, or that no answer made.
var ErrUnknownRule = errors.New("there is no such answer")

// Rules returns what decides in a session, or in a folder, an absolute path, if sessionID is
// empty: rules of everybody, answers, grants and approvals.
func (a *Agent) Rules(ctx context.Context, sessionID, folder string) ([]policy.Listed, error) {
	var l []policy.Listed
	if sessionID != "" {
		s, err := a.Session(ctx, sessionID)
		if err != nil {
			return nil, err
		}
		l, folder = s.State.Gate.Rules(), s.State.Started.Cwd
		for _, x := range s.answered() {
			l = append(l, s.vouchedFor(x))
		}
	} else {
		folder = disk.RealPath(folder)
		e := policy.New(nil, nil)
		if f := a.Process.Options.Policy; f != nil {
			e = f(folder, []string{folder}, a.Process.Options.Trusted != nil && a.Process.Options.Trusted(folder))
		}
		l = e.With(policy.Lists(a.Process.Settings().Tools).Rules()).Rules()
	}
	if store := a.Process.Options.Answers; store != nil {
		given, err := store.Grants(folder)
		if err != nil {
			a.Process.Log.Warn("the grants of a folder were not read", "folder", folder, "err", err)
		}
		for _, g := range given {
			l = append(l, g.Listed())
		}
	}
	if store := a.Process.Options.Approvals; store != nil {
		approved, err := store.Approvals()
		if err != nil {
			return nil, fmt.Errorf("list what is approved: %w", err)
		}
		for _, x := range approved {
			l = append(l, gate.ListedApproval(x))
		}
	}
	return l, nil
}

// RemoveRule removes an answer of the user's, a grant or an approval by the ID with which
// [Agent.Rules] lists it. One that is stored applies until the end of a running turn.
func (a *Agent) RemoveRule(id string) error {
	for _, s := range a.all() {
		if s.State.Gate.Forget(id) {
			return nil
		}
		for _, x := range s.answered() {
			if s.vouchedFor(x).ID == id {
				return s.doubt(x)
			}
		}
	}
	return RemoveStored(a.Process.Options.Answers, a.Process.Options.Approvals, id)
}

// answered returns the authors about whose content the user does not want to be asked.
func (s *Session) answered() []tools.Author {
	return state.FromHistory(s.State.Record, (*transcript.History).Untrusted).Answered()
}

func (s *Session) vouchedFor(a tools.Author) policy.Listed {
	return policy.Listed{
		ID: policy.IDOf(fmt.Sprintf("%q", []any{s.State.SessionID, "vouched", a})), Text: "ask no more about requests after content from " + transcript.NamesOf([]tools.Author{a}),
		Tier: "session", Scope: policy.Session, Source: policy.OfAnswer, Removable: true,
	}
}

// doubt takes back that the user does not want to be asked about an author.
func (s *Session) doubt(a tools.Author) error {
	return s.change(func(*transcript.SessionInfo) {}, func(bool) transcript.Event {
		return transcript.Vouched{Authors: []tools.Author{a}, Over: true}
	})
}

// RemoveStored is [Agent.RemoveRule] for what is stored. Either store may be nil.
func RemoveStored(answers *policy.Answers, approvals *trust.Store, id string) error {
	if answers != nil {
		if was, err := answers.Remove(id); was || err != nil {
			return err
		}
	}
	if approvals != nil {
		approved, err := approvals.Approvals()
		if err != nil {
			return fmt.Errorf("look for what is approved: %w", err)
		}
		for _, x := range approved {
			if gate.ListedApproval(x).ID == id {
				_, err := approvals.Revoke(x)
				return err
			}
		}
	}
	return fmt.Errorf("remove the rule %s: %w; `emendo policy list` has those that can be removed", visible.Line(id), ErrUnknownRule)
}
