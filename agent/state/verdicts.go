package state

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// Verdicts are what of the user's decisions on edits is not told to the model yet, beside
// the states of hunks, and the calls whose edits were proposed and not decided when they
// ended. It is safe for concurrent use.
type Verdicts struct {
	mu       sync.Mutex
	told     map[string]int               // comments on a change set that the model has read
	expected map[string][]hooks.ToolInput // of calls whose hooks run once their edits are applied, by change set
	running  sync.WaitGroup               // of these hooks
	contexts []string                     // that they add, for the model
}

// Told notes that the model has read the first n comments on a change set.
func (v *Verdicts) Told(changeSet string, n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.told[changeSet] = max(v.told[changeSet], n)
}

// Comments returns the comments on a change set that the model has not read, and counts them
// as read.
func (v *Verdicts) Comments(l *ledger.Ledger, changeSet string) []string {
	_, all, err := l.Outcome(changeSet)
	if err != nil { // the session was deleted
		return nil
	}
	v.mu.Lock()
	read := min(v.told[changeSet], len(all))
	v.mu.Unlock()
	v.Told(changeSet, len(all))
	return slices.Clone(all[read:])
}

// Expect notes what the hooks after a call read, which run when its edits are applied.
func (v *Verdicts) Expect(changeSet string, calls []hooks.ToolInput) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.expected[changeSet] = calls
}

// Applied runs the hooks after a call whose edits were proposed when it ended, and some of
// which a decision has applied now. It does not wait for them, and runs none once the
// session has ended.
func (s *Session) Applied(ctx context.Context, cs ledger.ChangeSet) {
	v := &s.Verdicts
	s.HookState.mu.Lock()
	defer s.HookState.mu.Unlock() // so that the end of the session waits for them
	v.mu.Lock()
	calls := v.expected[cs.ID]
	v.mu.Unlock()
	if s.HookState.ended || len(calls) == 0 || !s.HasHooks(hooks.AfterTool) {
		return
	}
	ctx = context.WithoutCancel(ctx) // the decision is made, whoever still waits for its answer
	v.running.Go(func() {
		for _, call := range calls {
			o := s.FireBetweenTurns(ctx, hooks.ToolOutcome{ToolInput: call, Response: hooks.ToolResponse{Content: "The user accepted the edit, and it is applied.", Display: cs.Title}})
			if text := o.Context(); strings.TrimSpace(text) != "" {
				v.mu.Lock()
				v.contexts = append(v.contexts, hooks.Enclosed(text))
				v.mu.Unlock()
			}
		}
	})
}

// Contexts waits for the hooks that run, and returns what they add for the model, once.
func (v *Verdicts) Contexts() []string {
	v.running.Wait()
	v.mu.Lock()
	defer v.mu.Unlock()
	l := v.contexts
	v.contexts = nil
	return l
}
