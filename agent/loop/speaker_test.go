package loop_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/loop"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
)

func TestWhoSpeaksNext(t *testing.T) {
	says := func(parts ...model.Part) []model.Message {
		return append(rounds(10), model.Message{Role: model.Model, Parts: parts})
	}
	announced := says(model.Text{Text: "Now I will run the tests."})
	answer := func(texts ...string) (rs []modeltest.Reply) {
		for _, text := range texts {
			rs = append(rs, modeltest.Reply{modeltest.Say(text)})
		}
		return rs
	}
	for _, tt := range []struct {
		name    string
		history []model.Message
		replies []modeltest.Reply
		want    bool
		asked   int
	}{
		{name: "nothing was said"},
		{name: "the user spoke last", history: rounds(0)},
		{name: "a tool answered", history: rounds(1), want: true},
		{name: "the model said nothing", history: says(model.Text{Signature: []byte{1}}), want: true},
		{name: "the model only thought", history: says(model.Thought{Text: "hm"}), want: true},
		{name: "calls wait for their answers", history: rounds(1)[:2]},
		{name: "a step was announced", history: announced, replies: answer(`{"reasoning": "it announced a step", "next_speaker": "model"}`), want: true, asked: 1},
		{name: "it asks the user", history: announced, replies: answer(`{"reasoning": "it asks", "next_speaker": "user"}`), asked: 1},
		{name: "an answer that cannot be read is asked for again", history: announced, replies: answer("model", `{"next_speaker": "model"}`), want: true, asked: 2},
		{name: "none can be read", history: announced, replies: answer("model", "model", `{"next_speaker": "model"}`), asked: 2},
		{name: "another word", history: announced, replies: answer(`{"next_speaker": "tool"}`), asked: 1},
		{name: "the model cannot be asked", history: announced, replies: []modeltest.Reply{{modeltest.Fail(model.Quota)}}, asked: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &modeltest.Script{Replies: slices.Clone(tt.replies)}
			if got := loop.GoesOn(t.Context(), s, "fast", tt.history); got != tt.want || len(s.Requests()) != tt.asked {
				t.Errorf("it goes on: %v, after %d questions", got, len(s.Requests()))
			}
			for _, req := range s.Requests() {
				size := len(req.System)
				for _, m := range req.Messages {
					for _, p := range m.Parts {
						if text, ok := p.(model.Text); ok {
							size += len(text.Text)
						}
					}
				}
				if req.Model != "fast" || size > 20_000 || !strings.Contains(req.System, "next_speaker") {
					t.Errorf("%s is asked in %d bytes", req.Model, size)
				}
			}
		})
	}
}
