package turn_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/loop"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

func TestATruncatedAnswerContinues(t *testing.T) {
	const broke = "Now I will run the tests."
	next := func(speaker string) modeltest.Reply {
		return modeltest.Reply{modeltest.Say(`{"reasoning": "it announced a step", "next_speaker": "` + speaker + `"}`)}
	}
	says := func(text string) modeltest.Reply { return modeltest.Reply{modeltest.Say(text)} }
	for _, tt := range []struct {
		name      string
		off       bool
		maxSteps  int
		replies   []modeltest.Reply
		asked     int // who speaks next
		continued int // to go on
		end       transcript.StopReason
	}{
		{name: "nobody is asked where the user wants none", off: true, replies: []modeltest.Reply{says(broke)}, end: transcript.EndTurn},
		{name: "it is the user's turn", replies: []modeltest.Reply{says("Done."), next("user")}, asked: 1, end: transcript.EndTurn},
		{name: "it is the model's", replies: []modeltest.Reply{says(broke), next("model"), says("They pass."), next("user")}, asked: 2, continued: 1, end: transcript.EndTurn},
		{name: "it cannot be found out", replies: []modeltest.Reply{says(broke), {modeltest.Fail(model.Quota)}}, asked: 1, end: transcript.EndTurn},
		{name: "not after the last step", maxSteps: 1, replies: []modeltest.Reply{says(broke)}, end: transcript.EndTurn},
		{name: "not after a call", replies: []modeltest.Reply{{agenttest.Call("glob", map[string]any{"pattern": "*"})}, says("None."), next("user")}, asked: 1, end: transcript.EndTurn},
		{name: "not where the answer is too long", replies: []modeltest.Reply{{modeltest.Say("and"), modeltest.Finish(model.MaxTokens)}}, end: transcript.StopMaxTokens},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, nil, tt.replies, func(t *testing.T, w *agenttest.World) {
				w.Options = func(o *state.Options) {
					o.Settings.Model.SkipNextSpeakerCheck, o.Settings.Model.MaxSessionTurns = tt.off, tt.maxSteps
				}
				w.Stop()
				w.Start()
				if end := w.Prompt(w.Session(""), "run them"); end.StopReason != tt.end {
					t.Errorf("the turn ended with %s, want %s", end.StopReason, tt.end)
				}
				asked, last := 0, ""
				for _, r := range w.Model.Requests() {
					if len(r.Tools) == 0 {
						asked++
					} else {
						last = agenttest.TextOf(r)
					}
				}
				if continued := strings.Count(last, loop.Continue); asked != tt.asked || continued != tt.continued {
					t.Errorf("asked %d times and continued %d times, want %d and %d", asked, continued, tt.asked, tt.continued)
				}
				if strings.Contains(w.Shown(), "next_speaker") || strings.Contains(last, "next_speaker") || len(w.Model.Replies) > 0 {
					t.Errorf("the question is part of the conversation:\n%s", last)
				}
			})
		})
	}
}

func TestAFailedTurnIsNotAskedWhoSpeaksNext(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Say("Now"), modeltest.Fail(model.Auth)}}, func(t *testing.T, w *agenttest.World) {
		w.Options = func(o *state.Options) { o.Settings.Model.SkipNextSpeakerCheck = false }
		w.Stop()
		w.Start()
		if _, err := w.Session("").Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("go")}); err == nil {
			t.Error("the turn ended well")
		}
		if n := len(w.Model.Requests()); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}
