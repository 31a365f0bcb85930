package agent_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// limit sets the context limit of every model.
func (w *world) limit(tokens int64) {
	w.options = func(o *state.Options) { o.ContextLimit = func(string) int64 { return tokens } }
	w.stop()
	w.start()
}

func TestATooLongRequestIsNotSent(t *testing.T) {
	inWorld(t, nil, []modeltest.Reply{{modeltest.Say("fine")}}, func(t *testing.T, w *world) {
		w.limit(50_000)
		s := w.session("")
		end, err := s.Prompt(t.Context(), state.Prompt{Blocks: say(strings.Repeat("much ", 60_000))})
		var me *model.Error
		if !errors.As(err, &me) || me.Kind != model.Overflow || end.StopReason != transcript.StopError {
			t.Errorf("it ended with %s, %v", end.StopReason, err)
		}
		if n := len(w.model.Requests()); n != 0 {
			t.Errorf("%d requests were sent, want none", n)
		}
		if codes, _ := w.notices(); !slices.Equal(codes, []transcript.NoticeCode{transcript.NoticeContextOverflow}) {
			t.Errorf("the notices are %v", codes)
		}
		if n := w.notice(transcript.NoticeContextOverflow); n.RequestTokens <= n.ContextLimit || n.ContextLimit != 50_000 {
			t.Errorf("the notice has %d tokens of %d", n.RequestTokens, n.ContextLimit)
		}
		w.prompt(s, "a little")
		if strings.Contains(all(w.last()), "much") {
			t.Error("the prompt that did not fit was kept")
		}
	})
}
