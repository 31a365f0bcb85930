package turn_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

func TestATooLongRequestIsNotSent(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Say("fine")}}, func(t *testing.T, w *agenttest.World) {
		w.LimitTokens(50_000)
		s := w.Session("")
		end, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say(strings.Repeat("much ", 60_000))})
		var me *model.Error
		if !errors.As(err, &me) || me.Kind != model.Overflow || end.StopReason != transcript.StopError {
			t.Errorf("it ended with %s, %v", end.StopReason, err)
		}
		if n := len(w.Model.Requests()); n != 0 {
			t.Errorf("%d requests were sent, want none", n)
		}
		if codes, _ := w.Notices(); !slices.Equal(codes, []transcript.NoticeCode{transcript.NoticeContextOverflow}) {
			t.Errorf("the notices are %v", codes)
		}
		if n := w.Notice(transcript.NoticeContextOverflow); n.RequestTokens <= n.ContextLimit || n.ContextLimit != 50_000 {
			t.Errorf("the notice has %d tokens of %d", n.RequestTokens, n.ContextLimit)
		}
		w.Prompt(s, "a little")
		if strings.Contains(agenttest.TextOf(w.LastRequest()), "much") {
			t.Error("the prompt that did not fit was kept")
		}
	})
}
