package loop

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"math"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// When the judge is asked, in steps of a turn, and which confidence counts. As in Gemini
// CLI: after the thirtieth step, then every five to fifteen, the sooner the more
// confident it is that the model is stuck.
const (
	firstAsked      = 30
	shortestPatient = 5
	longestPatient  = 15
	sure            = 0.9 // the confidence at which a model counts as stuck
	askedTwice      = 2   // attempts to get a readable opinion
)

// How much the judge sees, in messages and in characters.
const (
	shownMessages = 20
	shownRequest  = 10_000
	shownText     = 2000 // of each text, call and result
)

// longestOpinion limits how much of an opinion the user and the model see, in
// characters.
const longestOpinion = 500

// Question is a request to a judge.
type Question struct {
	System   string
	Messages []model.Message // in the form that providers accept
}

// Opinion is a judge's answer.
type Opinion struct {
	Analysis   string  `json:"unproductive_state_analysis"`
	Confidence float64 `json:"unproductive_state_confidence"` // from 0, all is well, to 1, stuck
}

// Ask returns a judge that asks a model. The user does not see its requests.
func Ask(g model.Generator, name string) func(context.Context, Question) (Opinion, error) {
	return func(ctx context.Context, q Question) (Opinion, error) {
		var o Opinion
		err := model.AskObject(ctx, g, model.Request{Model: name, System: q.System, Messages: q.Messages}, askedTwice, &o)
		return o, err
	}
}

// nextAsked returns the step at which the judge is asked next, by how sure it was at a step
// that the model is stuck.
func nextAsked(step int, o Opinion) int {
	doubt := 1 - min(max(o.Confidence, 0), 1)
	return step + shortestPatient + int(math.Round((longestPatient-shortestPatient)*doubt))
}

// opinion asks the judge and, if that one is sure, the second judge. If one cannot be
// asked the model counts as not stuck, except that a second model without access for
// the user does not overrule the first.
func (g *Guard) opinion(ctx context.Context, history []model.Message) (Opinion, bool) {
	q := question(g.prompt, history)
	o, err := g.o.Judge(ctx, q)
	if err != nil {
		return Opinion{Confidence: 0.5}, false // asked again after the middle of the range
	}
	if o.Confidence < sure || g.o.Second == nil {
		return o, o.Confidence >= sure
	}
	second, err := g.o.Second(ctx, q)
	switch {
	case err == nil:
		return second, second.Confidence >= sure
	case ctx.Err() == nil && noAccess(err):
		return o, true
	}
	return o, false
}

// noAccess reports whether an error means that the user has no access to the model.
func noAccess(err error) bool {
	var e *model.Error
	return errors.As(err, &e) && (e.Kind == model.NotFound || e.Kind == model.Quota || e.Kind == model.Auth)
}

//go:embed judge.md
var judgeText string

// question builds the question with the user's request and the last messages.
func question(prompt string, history []model.Message) Question {
	request := model.Text{Text: "<original_request>\n" + shortened(prompt, shownRequest) + "\n</original_request>"}
	return ask(judgeText, []model.Part{request}, history[max(len(history)-shownMessages, 0):],
		"That was the conversation. Is the agent stuck? Answer with the JSON object.")
}

// ask builds a question about the last messages of a conversation, shortened. Calls
// without their result, and results without their call, are left out.
func ask(system string, begin []model.Part, last []model.Message, end string) Question {
	if len(last) > 0 && model.Has[model.Result](last[0]) {
		last = last[1:]
	}
	if n := len(last); n > 0 && model.Has[model.Call](last[n-1]) {
		last = last[:n-1]
	}
	begin = append(begin, model.Text{Text: "The conversation, or its last part:"})
	messages := []model.Message{{Role: model.User, Parts: begin}}
	for _, m := range last {
		messages = join(messages, shown(m))
	}
	messages = join(messages, model.Message{Role: model.User, Parts: []model.Part{model.Text{Text: end}}})
	return Question{System: strings.TrimSpace(system), Messages: messages}
}

// join appends a message, or merges it into the last one if both have the same role.
func join(ms []model.Message, m model.Message) []model.Message {
	if len(m.Parts) == 0 {
		return ms
	}
	if last := &ms[len(ms)-1]; last.Role == m.Role {
		last.Parts = append(last.Parts, m.Parts...)
		return ms
	}
	return append(ms, m)
}

// shown returns a copy of a message, cut to what a judge needs.
func shown(m model.Message) model.Message {
	out := model.Message{ID: m.ID, Role: m.Role}
	for _, p := range m.Parts {
		switch p := p.(type) {
		case model.Text:
			if p.Text != "" {
				out.Parts = append(out.Parts, model.Text{Text: shortened(p.Text, shownText)})
			}
		case model.Thought:
		case model.Blob:
			out.Parts = append(out.Parts, model.Text{Text: "(" + p.MIME + ")"})
		case model.Call:
			if len(p.Args) > shownText {
				p.Args, _ = json.Marshal(map[string]string{"shortened": shortened(string(p.Args), shownText)}) // a text never fails
			}
			out.Parts = append(out.Parts, p)
		case model.Result:
			p.Output, p.Blobs = shortened(p.Output, shownText), nil
			out.Parts = append(out.Parts, p)
		}
	}
	return out
}

// shortened keeps the start and the end of a text.
func shortened(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most/2]) + "\n(…)\n" + string(r[len(r)-most/2:])
}
