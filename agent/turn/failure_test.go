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

// Notices have fields for the attempt and the kind of failure.
func TestNoticesHaveTheFailure(t *testing.T) {
	for want, answer := range map[string]modeltest.Reply{
		"cut":            {modeltest.Say("half"), modeltest.Fail(model.Cut)},
		"empty":          {modeltest.Finish(model.Stop)},
		"malformed_call": {modeltest.Finish(model.MalformedCall)},
	} {
		t.Run(want, func(t *testing.T) {
			agenttest.InWorld(t, nil, slices.Repeat([]modeltest.Reply{answer}, model.DefaultAttempts), func(t *testing.T, w *agenttest.World) {
				if _, err := w.Session("").Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("go")}); err == nil {
					t.Error("it did not fail")
				}
				tries := map[string]int{"cut": model.DefaultAttempts, "empty": 2, "malformed_call": 0}[want] // the last are told to the model
				if n := w.Notice(transcript.NoticeRetry); tries > 0 && (n.Attempt != tries-1 || n.MaxAttempts != tries || n.Type != want) {
					t.Errorf("attempt %d of %d failed: %s", n.Attempt, n.MaxAttempts, n.Type)
				}
				if n := w.Notice(transcript.NoticeInvalidStream); n.Type != want {
					t.Errorf("the stream is said to be %q", n.Type)
				}
			})
		})
	}
}

func TestEveryFailureOfTheModel(t *testing.T) {
	for _, c := range []struct {
		kind    model.ErrorKind
		retried bool
		notice  transcript.NoticeCode
		stop    transcript.StopReason
		silent  bool // the turn ends without an error
		empty   bool // as one of *EmptyAnswerError
	}{
		{kind: model.Auth, notice: transcript.NoticeError, stop: transcript.StopError},
		{kind: model.RateLimited, retried: true, notice: transcript.NoticeError, stop: transcript.StopError},
		{kind: model.Quota, notice: transcript.NoticeError, stop: transcript.StopError},
		{kind: model.Overflow, notice: transcript.NoticeContextOverflow, stop: transcript.StopError},
		{kind: model.Invalid, notice: transcript.NoticeError, stop: transcript.StopError},
		{kind: model.NotFound, notice: transcript.NoticeError, stop: transcript.StopError},
		{kind: model.Unavailable, retried: true, notice: transcript.NoticeError, stop: transcript.StopError},
		{kind: model.TLS, notice: transcript.NoticeError, stop: transcript.StopError},
		{kind: model.Cut, retried: true, notice: transcript.NoticeInvalidStream, stop: transcript.StopError},
		{kind: model.Empty, retried: true, notice: transcript.NoticeInvalidStream, stop: transcript.StopError, empty: true},
		{kind: model.Blocked, notice: transcript.NoticeBlocked, stop: transcript.StopBlocked, silent: true},
	} {
		for _, worked := range []bool{false, true} {
			name := string(c.kind) + " before anything was done"
			if worked {
				name = string(c.kind) + " after a call"
			}
			t.Run(name, func(t *testing.T) {
				agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
					if worked {
						w.Model.Replies = append(w.Model.Replies, modeltest.Reply{agenttest.Call("list_directory", map[string]any{"dir_path": "."})})
					}
					tries, notices := 1, []transcript.NoticeCode{c.notice}
					if c.retried {
						if tries = model.DefaultAttempts; c.empty {
							tries = 2 // the same model most likely answers alike
						}
						notices = append(slices.Repeat([]transcript.NoticeCode{transcript.NoticeRetry}, tries-1), c.notice)
					}
					for range tries {
						w.Model.Replies = append(w.Model.Replies, modeltest.Reply{modeltest.Say("half an answer"), modeltest.Fail(c.kind)})
					}
					w.Model.Replies = append(w.Model.Replies, modeltest.Reply{modeltest.Say("fine")})
					s := w.Session("")
					end, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("the first prompt")})
					var me *model.Error
					var empty *transcript.EmptyAnswerError
					switch {
					case end.StopReason != c.stop:
						t.Errorf("ended with %s, want %s", end.StopReason, c.stop)
					case c.silent && err != nil, !c.silent && !errors.As(err, &me), me != nil && me.Kind != c.kind:
						t.Errorf("the error is %v", err)
					case errors.As(err, &empty) != c.empty:
						t.Errorf("the error is a %T", err)
					}
					codes, stops := w.Notices()
					if !slices.Equal(codes, notices) || !slices.Equal(stops, []transcript.StopReason{c.stop}) {
						t.Errorf("notices %v, ends %v; want %v, %v", codes, stops, notices, c.stop)
					}
					if got := w.Shown(); got != "" {
						t.Errorf("%q is left of the answers that failed", got)
					}
					w.Prompt(s, "the second prompt")
					withdrawn := !worked && (c.kind == model.Overflow || c.kind == model.Invalid || c.kind == model.Blocked) // it would fail again
					if kept := strings.Contains(agenttest.TextOf(w.LastRequest()), "the first prompt"); kept == withdrawn {
						t.Errorf("the first prompt is kept: %v", kept)
					}
					w.CheckNumbers()
				})
			})
		}
	}
}

func TestStopReasons(t *testing.T) {
	for _, c := range []struct {
		name    string
		reply   modeltest.Reply
		stop    transcript.StopReason
		notices []transcript.NoticeCode
	}{
		{name: "well", reply: modeltest.Reply{modeltest.Say("a")}, stop: transcript.EndTurn},
		{name: "out of tokens", reply: modeltest.Reply{modeltest.Say("a"), modeltest.Finish(model.MaxTokens)}, stop: transcript.StopMaxTokens, notices: []transcript.NoticeCode{transcript.NoticeIncomplete}},
		{name: "for safety", reply: modeltest.Reply{modeltest.Say("a"), modeltest.Finish(model.Safety)}, stop: transcript.Refusal, notices: []transcript.NoticeCode{transcript.NoticeBlocked}},
		{name: "for safety, with nothing said", reply: modeltest.Reply{modeltest.Finish(model.Safety)}, stop: transcript.Refusal, notices: []transcript.NoticeCode{transcript.NoticeBlocked}},
		{name: "for a reason of its own", reply: modeltest.Reply{modeltest.Say("a"), modeltest.Finish(model.Other)}, stop: transcript.EndTurn, notices: []transcript.NoticeCode{transcript.NoticeIncomplete}},
		{
			name:  "with its sources",
			reply: modeltest.Reply{modeltest.Say("a"), modeltest.Chunk(model.Chunk{Citations: []model.Citation{{Title: "T", URI: "https://x"}}})},
			stop:  transcript.EndTurn, notices: []transcript.NoticeCode{transcript.NoticeCitation},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			agenttest.InWorld(t, nil, []modeltest.Reply{c.reply, {modeltest.Say("next")}}, func(t *testing.T, w *agenttest.World) {
				s := w.Session("")
				end := w.Prompt(s, "go")
				codes, stops := w.Notices()
				if end.StopReason != c.stop || !slices.Equal(stops, []transcript.StopReason{c.stop}) || !slices.Equal(codes, c.notices) {
					t.Errorf("ended with %s, reasons %v, notices %v", end.StopReason, stops, codes)
				}
				w.Prompt(s, "and now?") // a model accepts the history
			})
		})
	}
}
