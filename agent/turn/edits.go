package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/edited"
)

// proposal is an edit call whose change set is in the ledger.
type proposal struct {
	call     *call
	proposed ledger.ChangeSet
	edits    tools.Edits
	verdict  gate.Verdict
	waitsFor []<-chan struct{} // closed when the earlier calls that it waits for have ended
	problems string            // new errors in the text that it proposes, for the model
	// recheck has the first edit of the file in the wave, whose errors and those of the later
	// ones are waited for; nil: they are known before, or another call reports them.
	recheck *recheck
}

// recheck is an edit of a file with the errors of the file before it.
type recheck struct {
	edit   ledger.Proposed
	before []langserver.Diagnostic
}

// propose runs adjoining edit calls: they are prepared in order, each against the
// text with the earlier ones applied, verified, and shown and awaited together. Those that
// need no approval are applied in order, each after the earlier ones of its files,
// so that a result shows the text after that call.
func (t *Turn) propose(ctx context.Context, wave []*call) {
	var allowed, waiting []proposal
	for _, c := range wave {
		c.recovering(func() {
			if p, ok := c.decide(); ok {
				t.edited.Add(p.edits)
				allowed = append(allowed, p)
			}
		})
	}
	for _, p := range t.recheck(ctx, verify(ctx, t.edited, allowed)) {
		p.call.recovering(func() {
			if p.propose() {
				waiting = append(waiting, p)
			}
		})
	}
	var all sync.WaitGroup
	var ended []<-chan struct{}
	for i, p := range waiting {
		if p.verdict.Kind == gate.Allow {
			for j, earlier := range waiting[:i] {
				if earlier.verdict.Kind == gate.Allow || earlier.shares(p) {
					p.waitsFor = append(p.waitsFor, ended[j])
				}
			}
		}
		end := make(chan struct{})
		ended = append(ended, end)
		all.Go(func() {
			defer close(end)
			p.call.recovering(p.settle)
		})
	}
	all.Wait()
}

// verify checks what calls would change, and returns those that are to be shown. The
// others end.
func verify(ctx context.Context, files *state.EditedFiles, ps []proposal) (shown []proposal) {
	edits := make([]tools.Edits, len(ps))
	for i, p := range ps {
		edits[i] = p.edits
	}
	for i, check := range files.Check(ctx, edits) {
		if check.Refused != nil {
			ps[i].call.end(tools.Result{Err: check.Refused})
			continue
		}
		ps[i].problems = check.Problems
		if check.Formats {
			ps[i].edits.Note = formatted(ps[i].edits.Note)
		}
		shown = append(shown, ps[i])
	}
	return shown
}

// recheck has the last edit of each file wait for the errors that all of them introduce.
func (t *Turn) recheck(ctx context.Context, shown []proposal) []proposal {
	last := map[string]*proposal{}
	for i := range shown {
		if files := shown[i].edits.Files; len(files) != 1 || shown[i].edits.Hides(files[0]) {
			continue
		}
		f := shown[i].edits.Files[0]
		if earlier := last[f.Name()]; earlier != nil {
			shown[i].recheck, earlier.recheck = earlier.recheck, nil
		} else if c := t.session.Checker(); c != nil {
			if before, ok := c.ErrorsBefore(ctx, f); ok {
				shown[i].recheck = &recheck{f, before}
			}
		}
		last[f.Name()] = &shown[i]
	}
	return shown
}

// formatted adds to a note for the model that a formatter has changed the new text.
func formatted(note string) string {
	return strings.TrimPrefix(note+"; the file's formatter was applied to the new text, so read the file before you quote it", "; ")
}

// shares reports whether two proposals change the same file.
func (p proposal) shares(o proposal) bool {
	return slices.ContainsFunc(p.proposed.Files, func(f ledger.FileChange) bool {
		return slices.ContainsFunc(o.proposed.Files, func(g ledger.FileChange) bool { return f.URI == g.URI })
	})
}

// decide prepares an edit and has the gate decide about it. It reports false if the
// call has ended.
func (c *call) decide() (proposal, bool) {
	t := c.turn
	p := proposal{call: c}
	if !c.prepare(c.ctx) || !c.beforeHooks(c.ctx) {
		return p, false
	}
	e, ok := c.action.Effect.(tools.Edits)
	if !ok {
		panic(fmt.Sprintf("agent: the edit tool %s has the effect %T", c.made.Name, c.action.Effect))
	}
	if err := t.session.Agent.OverwritesSecret(e); err != nil {
		c.end(tools.Result{Err: err})
		return p, false
	}
	t.session.Doubts.Add(&tools.Error{Doubts: e.Doubts})
	p.edits, p.verdict = e, t.conv.Gate.Decide(c.gated())
	if p.verdict.Kind == gate.Deny {
		c.rule = p.verdict.Rule
		c.end(p.verdict.Refusal())
		return p, false
	}
	return p, true
}

// propose adds an edit to the ledger for review or, if the gate allows it, for
// applying. It reports false if the call has ended.
func (p *proposal) propose() bool {
	s := p.call.turn.session
	set, err := s.Agent.Options.Ledger.Propose(p.call.ctx, ledger.Proposal{SessionID: s.SessionID, TurnID: p.call.turn.ID, CallID: p.call.made.CallID, Title: p.call.made.Title, Round: s.Info().Round(), Files: p.edits.Files, Applies: p.verdict.Kind == gate.Allow})
	if err != nil {
		p.call.end(failure(p.call.ctx, fmt.Errorf("proposing the edit: %w", err)))
		return false
	}
	p.proposed = set
	p.call.set, p.call.hunkStates = set.ID, statesOf(set)
	u := transcript.ToolUpdate{State: transcript.AwaitingApproval, ChangeSetID: set.ID, Diffs: transcript.DiffsOf(p.edits)}
	if p.verdict.Kind == gate.Allow || p.goesOn() {
		u.State = transcript.Scheduled
	}
	p.call.update(u)
	return true
}

// goesOn reports whether the call ends without waiting for the user's decision.
func (p *proposal) goesOn() bool {
	return p.verdict.Kind == gate.Review && p.call.turn.review.Wait() != settings.WaitAlways
}

// settle ends the call with its result, if it has to wait once the user has decided.
func (p proposal) settle() {
	s := p.call.turn.session
	switch p.verdict.Kind {
	case gate.Allow:
		for _, end := range p.waitsFor {
			<-end
		}
		p.call.update(transcript.ToolUpdate{State: transcript.Executing, ChangeSetID: p.call.set})
		if _, err := s.Agent.Hunks.Decide(p.call.ctx, []ledger.Decision{{ChangeSetID: p.call.set, Action: ledger.Accept, Unasked: !s.Private.OnlyPlans(p.proposed)}}, ""); err != nil {
			p.failed(err)
			return
		}
		p.reportDecided()
	case gate.Ask:
		p.askAboutEdit()
	case gate.Review:
		if p.goesOn() {
			p.call.update(transcript.ToolUpdate{State: transcript.Executing, ChangeSetID: p.call.set})
			p.reportProposed()
			return
		}
		q := p.call.turn.conv.Gate.Question(p.call.gated(), p.verdict)
		q.Call.Diffs = transcript.DiffsOf(p.edits)
		defer p.call.turn.hooks.Notify(p.call.ctx, q, p.edits)()
		set, comments, err := s.Agent.Options.Ledger.Decided(p.call.ctx, p.call.set)
		if err != nil { // the call was cancelled
			p.call.end(tools.CancelledResult(p.abandon()))
			return
		}
		p.report(set, comments, nil)
	case gate.Deny:
		panic("agent: a denied edit is in the ledger")
	}
}

// reportDecided ends a call that has decided on its whole edit. It does not wait for
// hunks that are pending again: they are left to a user who reviews hunks, and
// withdrawn if nobody could decide on them.
func (p proposal) reportDecided() {
	a := p.call.turn.session.Agent
	set, comments, err := a.Options.Ledger.Outcome(p.call.set)
	switch {
	case err != nil: // the session was deleted
		p.call.end(tools.CancelledResult(p.abandon()))
	case !a.Client.Abilities().Reviews && (set.State.Waits() || len(set.TakenBack()) > 0):
		p.failed(errUndone)
	default:
		p.report(set, comments, nil)
	}
}

// reportProposed ends a call whose edit is before the user, who decides later. An edit of
// which something is decided already is reported as such.
func (p proposal) reportProposed() {
	set, comments, err := p.call.turn.session.Agent.Options.Ledger.Outcome(p.call.set)
	switch {
	case err != nil: // the session was deleted
		p.call.end(tools.CancelledResult(""))
		return
	case len(set.Waiting()) < len(set.Hunks(nil)):
		p.report(set, comments, nil)
		return
	}
	p.call.hunkStates = statesOf(set)
	r := edited.Proposal(edited.Outcome{Set: set, Folder: p.call.turn.session.Work.Roots()[0], Note: p.edits.Note, Whole: p.edits.Whole, Hidden: p.edits.Hidden, Left: p.edits.Left}, p.edits.Files)
	if p.problems != "" {
		r.Output += "\nThe proposed text has new errors:\n" + p.problems
	}
	p.call.noteHooks(&r)
	p.call.turn.session.Verdicts.Expect(p.call.set, p.call.hookInputs())
	p.call.end(r)
}

var errUndone = errors.New("its text was changed back while it was applied")

// report ends the call with the result of its edit. why is the error if it could
// not be written.
func (p proposal) report(set ledger.ChangeSet, comments []string, why error) {
	p.call.hunkStates = statesOf(set)
	p.call.turn.session.Verdicts.Told(set.ID, len(comments))
	r := edited.Result(edited.Outcome{
		Set: set, Folder: p.call.turn.session.Work.Roots()[0], Comments: comments, Note: p.edits.Note, Whole: p.edits.Whole, Hidden: p.edits.Hidden, Left: p.edits.Left, Failed: why, Undone: set.TakenBack(), Text: p.call.turn.session.LiveText,
	})
	p.call.declined = r.Err != nil && r.Err.Type == tools.PolicyViolation
	if set.State.Applied() {
		if p.recheck != nil {
			p.problems = p.call.turn.session.Checker().ErrorsSince(p.call.ctx, p.recheck.edit, p.recheck.before)
		}
		if p.problems != "" {
			r.Output += "\nThe text now has new errors:\n" + p.problems
		}
	}
	p.withdraw(set)
	p.call.conclude(p.call.ctx, r)
}

// withdraw rejects what is left of an edit that has been decided, unless the user
// reviews hunks. Otherwise a hunk of which the model reads that it was not applied is
// pending again when its old text is back, and then is in the text that the model is
// shown and edits, but not in the file.
func (p proposal) withdraw(set ledger.ChangeSet) {
	a := p.call.turn.session.Agent
	if a.Client.Abilities().Reviews {
		return
	}
	var ds []ledger.Decision
	for _, h := range set.Hunks(func(h ledger.Hunk) bool { return !h.State.Decided() }) {
		ds = append(ds, ledger.Decision{ChangeSetID: set.ID, HunkID: h.ID, Action: ledger.Reject})
	}
	if len(ds) == 0 {
		return
	}
	r, err := a.Hunks.Resolve(context.WithoutCancel(p.call.ctx), ds, "") // also if the call was cancelled meanwhile
	if err != nil {
		a.Log.Error("what is left of an edit is not withdrawn", "changeSet", set.ID, "err", err)
		return
	}
	p.call.hunkStates = statesOf(r.ChangeSets[0])
}

// failed ends a call whose edit was allowed and could not be written. What is
// left of the edit is withdrawn: the user did not decide against it, and the
// model may try again.
func (p proposal) failed(why error) {
	s := p.call.turn.session
	if p.call.ctx.Err() != nil {
		p.call.end(tools.CancelledResult(p.abandon()))
		return
	}
	s.Agent.Log.Warn("an edit was not written", "session", s.SessionID, "changeSet", p.call.set, "err", why)
	if set, err := s.Agent.Options.Ledger.Get(p.call.set); err == nil && set.State.Waits() {
		if err := p.resolve(p.call.ctx, ledger.Reject, ""); err != nil {
			s.Agent.Log.Error("an edit that was not written is not withdrawn", "session", s.SessionID, "changeSet", p.call.set, "err", err)
		}
	}
	set, comments, err := s.Agent.Options.Ledger.Outcome(p.call.set)
	if err != nil {
		p.call.end(failure(p.call.ctx, fmt.Errorf("applying the edit: %w", why)))
		return
	}
	p.report(set, comments, why)
}

// abandon leaves the edit of a cancelled call pending for a user who reviews hunks,
// and rejects it otherwise. It returns a note for the model.
func (p proposal) abandon() string {
	if p.call.turn.session.Agent.Client.Abilities().Reviews {
		return "The edit is still before the user, who may decide on it later."
	}
	if err := p.resolve(context.WithoutCancel(p.call.ctx), ledger.Reject, ""); err != nil { // the call's context has ended
		p.call.turn.session.Agent.Log.Error("an edit is not withdrawn", "changeSet", p.call.set, "err", err)
	}
	return ""
}

// askAboutEdit asks about the whole edit at once. Deciding its hunks elsewhere
// withdraws the question.
func (p proposal) askAboutEdit() {
	s := p.call.turn.session
	var set ledger.ChangeSet // as decided elsewhere
	var comments []string
	decided := func(ctx context.Context) (err error) {
		set, comments, err = s.Agent.Options.Ledger.Decided(ctx, p.call.set)
		return err
	}
	q := p.call.turn.conv.Gate.EditQuestion(p.call.gated(), p.verdict, p.call.set)
	q.Call.Diffs = transcript.DiffsOf(p.edits)
	if err := p.call.turn.conv.Outbox.Flush(nil); err != nil { // the diff is shown before it is asked about
		p.failed(err)
		return
	}
	defer p.call.turn.hooks.Notify(p.call.ctx, q, p.edits)()
	a, err := askUntil(p.call.ctx, s.Agent.Client, q, decided)
	switch {
	case errors.Is(err, errDecidedElsewhere):
		p.report(set, comments, nil)
		return
	case p.call.ctx.Err() != nil:
		p.call.end(tools.CancelledResult(p.abandon()))
		return
	}
	action := ledger.Reject
	switch gate.Answered(q, a, err) {
	case frontend.AllowAlways:
		action = ledger.Accept
		if err := s.SetMode(policy.AutoEdit); err != nil {
			s.Agent.Log.Warn("the mode was not changed", "session", s.SessionID, "err", err)
		}
	case frontend.AllowOnce:
		action = ledger.Accept
	case frontend.RejectOnce, frontend.RejectAlways:
		p.call.stopsTurn = gate.Stops(a)
	}
	if err := p.resolve(p.call.ctx, action, a.Feedback); err != nil {
		p.failed(err)
		return
	}
	p.reportDecided()
}

func (p proposal) resolve(ctx context.Context, a ledger.Action, comment string) error {
	_, err := p.call.turn.session.Agent.Hunks.Resolve(ctx, []ledger.Decision{{ChangeSetID: p.call.set, Action: a}}, comment)
	return err
}
