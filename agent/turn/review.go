package turn

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/proposed"
)

// review has calls wait for the user's decisions on the edits of their turn, and tells the
// model of the decisions.
type review struct {
	conv  *state.Conversation
	turn  string // its ID
	hooks *turnHooks

	cancel context.CancelCauseFunc // cancels the turn

	asking chan struct{} // a semaphore: one call asks at a time, and its answer is for all
	goOn   atomic.Bool   // the user lets the calls of the turn go on without the edits
}

// Wait returns what waits for decisions on edits now: always the calls that make them where
// the user cannot decide hunk by hunk.
func (r *review) Wait() settings.EditsWait {
	if !r.conv.Session.Agent.Client.Abilities().Reviews {
		return settings.WaitAlways
	}
	return r.conv.Session.Agent.Settings().Edits.Wait
}

// Without returns a note for the model on the files that a call saw without the session's
// proposed edits; empty: there are none.
func (r *review) Without(ctx context.Context, e tools.Effect) string {
	if !tools.TraitsOf(e).ReadsDisk {
		return ""
	}
	names := r.conv.Session.Undecided(ctx)
	if len(names) == 0 {
		return ""
	}
	return "\nNote: this call saw these files as they are on disk, without your proposed edits, on which the user has not decided: " + proposed.Listed(names) + "."
}

// Await implements [gate.TurnOptions.Review] for calls that do not see the turn's edits.
func (r *review) Await(ctx context.Context, c gate.Call) *tools.Result {
	if !tools.TraitsOf(c.Effect).ReadsDisk {
		return nil
	}
	return r.Decided(ctx, c)
}

// Decided waits until the user has decided on the edits of the turn, or lets its calls go on
// without them. It returns the result of a call that may not run; nil: it may.
func (r *review) Decided(ctx context.Context, c gate.Call) *tools.Result {
	if r.Wait() != settings.WaitTurn {
		return nil
	}
	select {
	case r.asking <- struct{}{}:
		defer func() { <-r.asking }()
	case <-ctx.Done():
		return cancelledCall()
	}
	sets := r.pending()
	if len(sets) == 0 || r.goOn.Load() {
		return nil
	}
	r.conv.Emit(transcript.ToolUpdate{CallID: c.Info.CallID, Title: c.Info.Title, Locations: c.Info.Locations, State: transcript.AwaitingReview})
	if err := r.conv.Outbox.Flush(nil); err != nil { // the edits are shown before the question
		return &tools.Result{Err: tools.Errorf(tools.Unhandled, "%v", err)}
	}
	choice, err := r.ask(ctx, c, sets)
	switch {
	case errors.Is(err, errDecidedElsewhere):
		return nil
	case ctx.Err() != nil:
		return cancelledCall()
	}
	switch choice {
	case acceptEdits:
		return r.acceptAll(ctx)
	case withoutEdits:
		r.goOn.Store(true)
		return nil
	}
	r.cancel(transcript.ErrCancelled)
	return cancelledCall()
}

func cancelledCall() *tools.Result { return new(tools.CancelledResult("")) }

var errDecidedElsewhere = errors.New("the edits were decided elsewhere")

// askUntil asks the user a question about edits. When awaitDecision returns nil, the question
// is withdrawn and the error is errDecidedElsewhere.
func askUntil(ctx context.Context, client frontend.Client, q frontend.Question, awaitDecision func(context.Context) error) (frontend.Answer, error) {
	asked, withdraw := context.WithCancelCause(ctx)
	var elsewhere sync.WaitGroup
	defer elsewhere.Wait()
	defer withdraw(nil)
	elsewhere.Go(func() {
		if awaitDecision(asked) == nil {
			withdraw(errDecidedElsewhere)
		}
	})
	a, err := client.Ask(asked, q)
	if asked.Err() != nil {
		err = context.Cause(asked)
	}
	return a, err
}

// pending returns the change sets of the turn that have pending hunks.
func (r *review) pending() []ledger.ChangeSet {
	return slices.DeleteFunc(r.conv.Session.Agent.Options.Ledger.List(r.conv.Session.SessionID, "", ledger.Pending), func(cs ledger.ChangeSet) bool { return cs.TurnID != r.turn })
}

// The answers to the question of a call that waits.
const (
	acceptEdits  = "accept_all"
	withoutEdits = "go_on"
	cancelCall   = "cancel"
)

// ask asks what is to become of a call that waits for change sets. Deciding the last hunk
// elsewhere withdraws the question. So does an error of the client: the user can still
// decide or cancel.
func (r *review) ask(ctx context.Context, c gate.Call, sets []ledger.ChangeSet) (choice string, err error) {
	q := r.conv.Gate.Question(c, gate.Verdict{})
	q.Reason = "Not decided yet: " + tools.Count(pendingIn(sets), "proposed change", "proposed changes") + " of this turn."
	q.Options = []frontend.Option{
		{ID: acceptEdits, Name: "Accept all and go on", Kind: frontend.AllowOnce},
		{ID: withoutEdits, Name: "Go on without them", Kind: frontend.AllowOnce},
		{ID: cancelCall, Name: "Cancel", Kind: frontend.RejectOnce},
	}
	for _, cs := range sets {
		q.Preview.Waits = append(q.Preview.Waits, cs.ID)
	}
	defer r.hooks.Notify(ctx, q, c.Effect)()
	decided := func(ctx context.Context) error {
		for _, cs := range sets {
			if _, _, err := r.conv.Session.Agent.Options.Ledger.Decided(ctx, cs.ID); err != nil && ctx.Err() != nil {
				return err
			}
		}
		return nil
	}
	a, err := askUntil(ctx, r.conv.Session.Agent.Client, q, decided)
	if err != nil && ctx.Err() == nil && !errors.Is(err, errDecidedElsewhere) {
		r.conv.Session.Agent.Log.Warn("the client cannot ask about a call that waits", "session", r.conv.Session.SessionID, "err", err)
		if err = decided(ctx); err == nil {
			err = errDecidedElsewhere
		}
	}
	if err != nil {
		return "", err
	}
	if a.Cancelled {
		return cancelCall, nil
	}
	return a.OptionID, nil
}

// pendingIn counts the pending hunks of change sets.
func pendingIn(sets []ledger.ChangeSet) (n int) {
	for _, cs := range sets {
		n += len(cs.Waiting())
	}
	return n
}

// acceptAll accepts what is pending of the turn. A hunk that cannot be applied is decided
// all the same: the model reads of it.
func (r *review) acceptAll(ctx context.Context) *tools.Result {
	var ds []ledger.Decision
	for _, cs := range r.pending() {
		for _, h := range cs.Waiting() {
			ds = append(ds, ledger.Decision{ChangeSetID: cs.ID, HunkID: h.ID, Action: ledger.Accept})
		}
	}
	if len(ds) == 0 {
		return nil
	}
	if _, err := r.conv.Session.Agent.Hunks.Resolve(ctx, ds, ""); err != nil {
		if ctx.Err() != nil {
			return cancelledCall()
		}
		return &tools.Result{Err: tools.Errorf(tools.Unhandled, "The edits before this call could not be applied, so it was not made: %v", err)}
	}
	return nil
}
