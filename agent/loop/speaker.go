package loop

import (
	"context"
	_ "embed"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// Continue is what to tell a model that goes on.
const Continue = "Go on where you stopped."

// lastWords is how many messages show who speaks next.
const lastWords = 6

//go:embed speaker.md
var speakerText string

// GoesOn says whether the model stopped in the middle of its work, so that it is
// its turn again: by the last message where that tells, else by the opinion of
// the model of that name. What cannot be found out is the user's turn.
func GoesOn(ctx context.Context, g model.Generator, name string, history []model.Message) bool {
	if len(history) == 0 {
		return false
	}
	switch last := history[len(history)-1]; {
	case holds[model.Result](last):
		return true
	case last.Role != model.Model, holds[model.Call](last):
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

// visible says whether a part is anything that the user sees.
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
