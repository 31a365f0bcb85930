package loop

import (
	"context"
	_ "embed"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// Continue asks a model to continue.
const Continue = "Continue where you stopped."

// lastWords is how many messages are looked at to see whose turn it is.
const lastWords = 6

//go:embed speaker.md
var speakerText string

// GoesOn reports whether the model stopped in the middle of its work and should
// continue. If the last message does not show it, the model with that name is asked. If
// that fails, it is the user's turn.
func GoesOn(ctx context.Context, g model.Generator, name string, history []model.Message) bool {
	if len(history) == 0 {
		return false
	}
	switch last := history[len(history)-1]; {
	case model.Has[model.Result](last):
		return true
	case last.Role != model.Model, model.Has[model.Call](last):
		return false
	case !slices.ContainsFunc(last.Parts, visible):
		return true
	}
	q := ask(speakerText, nil, history[max(len(history)-lastWords, 0):], "That was the conversation. Whose turn is it? Answer with the JSON object.")
	var o struct {
		NextSpeaker string `json:"next_speaker"`
	}
	err := model.AskObject(ctx, g, model.Request{Model: name, System: q.System, Messages: q.Messages}, askedTwice, &o)
	return err == nil && strings.EqualFold(o.NextSpeaker, string(model.Model))
}

// visible reports whether the user sees a part.
func visible(p model.Part) bool {
	switch p := p.(type) {
	case model.Text:
		return model.Visible(p.Text)
	case model.Blob:
		return true
	case model.Thought, model.Call, model.Result:
		return false
	}
	panic("loop: unknown part")
}
