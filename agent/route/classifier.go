package route

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
)

//go:embed classifier.md
var classifierText string

// What a classifier is shown, and how long is waited for it: the user waits
// too, so a prompt that cannot be judged soon goes to the strong model.
const (
	looksBack   = 20   // messages in which words are looked for
	shownLast   = 4    // of those that have any
	shownOfEach = 4000 // bytes of a message
	patience    = 5 * time.Second
)

// Ask has a small model judge whether the last message of a conversation is a
// prompt for the strong model. Answers of tools are left out. It asks once.
func Ask(g model.Generator, name string, history []model.Message) func(context.Context) (bool, string, error) {
	return func(ctx context.Context) (bool, string, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no judgment came within %s", patience))
		defer cancel()
		var said struct {
			Reasoning string `json:"reasoning"`
			Choice    string `json:"model_choice"`
		}
		req := model.Request{Model: name, System: classifierText, Messages: []model.Message{{Role: model.User, Parts: []model.Part{model.Text{Text: shown(history)}}}}}
		if err := model.AskObject(ctx, g, req, 1, &said); err != nil {
			return false, "", err
		}
		switch strings.ToLower(strings.TrimSpace(said.Choice)) {
		case "strong":
			return true, said.Reasoning, nil
		case "fast":
			return false, said.Reasoning, nil
		}
		return false, "", fmt.Errorf("the classifier chose %.40q, which is neither strong nor fast", said.Choice)
	}
}

// shown is the end of a conversation as one text: a model that is shown turns
// is tempted to answer the last one.
func shown(history []model.Message) string {
	var said []string
	for _, m := range history[max(len(history)-looksBack, 0):] {
		if text := words(m); text != "" {
			said = append(said, fmt.Sprintf("<%s>\n%s\n</%[1]s>", m.Role, text))
		}
	}
	return "<conversation>\n" + strings.Join(said[max(len(said)-shownLast, 0):], "\n") + "\n</conversation>\nWhich model is the last request for? Answer with the JSON object."
}

// words are the visible words of a message, its end where they are many: what
// the user asks stands behind what goes with it.
func words(m model.Message) string {
	var b strings.Builder
	for _, p := range m.Parts {
		switch p := p.(type) {
		case model.Text:
			b.WriteString(p.Text)
			b.WriteByte('\n')
		case model.Thought, model.Blob, model.Call, model.Result:
		default:
			panic(fmt.Sprintf("route: unknown part %T", p))
		}
	}
	text := strings.TrimSpace(b.String())
	if cut := len(text) - shownOfEach; cut > 0 {
		text = "…" + strings.ToValidUTF8(text[cut:], "")
	}
	return text
}
