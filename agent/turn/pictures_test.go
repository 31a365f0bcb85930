package turn_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// The note is in every request, since the picture stays in the conversation.
func TestUserIsNotifiedOnceThatAModelCannotSeePictures(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Say("one")}, {modeltest.Say("two")}}, func(t *testing.T, w *agenttest.World) {
		w.Options = func(o *state.Options) {
			generator := o.Generator
			o.Generator = func(name string) (model.Generator, string, error) {
				g, short, err := generator(name)
				return model.Seeing(g, func(string) *bool { return new(false) }), short, err
			}
		}
		w.Stop()
		w.Start()
		s := w.Session("")
		picture := transcript.Block{Type: transcript.ImageBlock, MIME: "image/png", Data: []byte{1}}
		for _, blocks := range [][]transcript.Block{append(agenttest.Say("look"), picture), agenttest.Say("again")} {
			if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: blocks}); err != nil {
				t.Fatal(err)
			}
		}
		const told = "A picture was not sent: test-model gets a note in the place of a picture: this model does not see pictures; another may."
		if got := w.NoticesOf(transcript.NoticeNotSent); got != told {
			t.Errorf("the user is told %q", got)
		}
		requests := w.Model.Requests()
		for i, r := range requests {
			notes := 0
			for _, p := range r.Messages[0].Parts {
				if text, ok := p.(model.Text); ok && strings.Contains(text.Text, "is left out: this model cannot see pictures") {
					notes++
				}
			}
			if notes != 1 {
				t.Errorf("request %d has %d notes: %v", i, notes, r.Messages[0].Parts)
			}
		}
		if len(requests) != 2 {
			t.Errorf("the model was asked %d times", len(requests))
		}
	})
}
