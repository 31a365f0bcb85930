package language

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/tools/code"
)

var (
	_ state.Awaiter = (*Supply)(nil)
	_ state.Checker = (*Supply)(nil)
)

// A call of a tool that the look for files may still bring waits for that look; a call of
// any other name does not.
func TestACallWaitsForTheLookForFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Supply{}
		if s.Await(t.Context(), code.All()[0].Spec().Name) {
			t.Error("waited before there was a look")
		}
		s.looking = make(chan struct{})
		if s.Await(t.Context(), "read_file") {
			t.Error("waited for a tool of no language server")
		}
		waited := false
		go func() { waited = s.Await(t.Context(), code.All()[0].Spec().Name) }()
		synctest.Wait()
		if waited {
			t.Error("did not wait for the look")
		}
		close(s.looking)
		synctest.Wait()
		if !waited {
			t.Error("waits after the look has ended")
		}
		s.looking = make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if s.Await(ctx, code.All()[0].Spec().Name) {
			t.Error("waited after the turn was cancelled")
		}
	})
}
