package state

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/transcript"
)

func TestAFullOutboxBlocksATurnButNotItsCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		o := &Outbox{session: &Session{Agent: NewProcess(Options{})}, ctx: ctx, busy: true} // nothing is delivered
		o.changed.L = &o.mu
		for i := range outboxLimit {
			o.Put(transcript.Text{MessageID: fmt.Sprint(i), Text: "x"})
		}
		through := false
		go func() {
			o.Put(transcript.Text{MessageID: "late", Text: "x"})
			through = true
		}()
		synctest.Wait()
		if through {
			t.Error("a full outbox accepts more")
		}
		o.PutNow(transcript.Notice{})
		cancel()
		synctest.Wait()
		if !through {
			t.Error("a cancelled turn waits")
		}
	})
}
