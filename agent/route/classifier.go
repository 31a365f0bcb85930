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

// Limits of the classifier's input and of the wait for it. The user waits as
// well, so a prompt that is not judged in time goes to the strong model.
const (
	looksBack   = 20   // messages that are searched for text
	shownLast   = 4    // messages with text that are shown
	shownOfEach = 4000 // bytes of a message
	patience    = 5 * time.Second
)

// Ask returns a function that has a small model judge whether the last message of
// a conversation needs the strong model. Results of tools are left out.
func Ask(g model.Generator, name string, history []model.Message) func(context.Context) (bool, string, error) {
	return func(ctx context.Context) (bool, string, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("the classifier did not answer within %s", patience))
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

// shown returns the end of a conversation as one text. A model that sees turns is
// tempted to answer the last one.
func shown(history []model.Message) string {
	var said []string
	for _, m := range history[max(len(history)-looksBack, 0):] {
		if text := words(m); text != "" {
			said = append(said, fmt.Sprintf("<%s>\n%s\n</%[1]s>", m.Role, text))
		}
	}
	return "<conversation>\n" + strings.Join(said[max(len(said)-shownLast, 0):], "\n") + "\n</conversation>\nWhich model is the last request for? Answer with the JSON object."
}

// words returns the text of a message, cut at the beginning if it is long: the
// user's question comes after the context.
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
