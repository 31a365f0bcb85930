package compact

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

//go:embed snapshot.md
var snapshotText string // to the model that sums up

//go:embed write.md
var writeText string // asks for the snapshot, behind the conversation

//go:embed verify.md
var verifyText string // asks to check it

// Between these the model writes its snapshot.
const (
	snapshotBegins = "<state_snapshot>"
	snapshotEnds   = "</state_snapshot>"
)

// room is the share of the model's limit that a conversation to be summed up
// may take; the rest is for the snapshot, and for what the estimate is off.
const room = 0.8

// author has a model sum up.
type author struct {
	g     model.Generator
	name  string
	in    Input
	usage model.Usage
}

// summary sums up messages: whole where they fit the model, else with old
// answers cut, and where that is too much as well piece by piece, each with the
// snapshot of those before it. It is empty when the model wrote nothing.
func (a *author) summary(ctx context.Context, whole, short []model.Message) (string, error) {
	size := func(ms []model.Message) int64 { return a.in.Size(ms) }
	space := int64(room * float64(a.in.Limit))
	todo := [][]model.Message{whole}
	if size(whole) > space {
		todo = pieces(short, space, size)
	}
	text := ""
	for i, piece := range todo {
		messages := piece
		if i > 0 {
			messages = stitch("snapshot", []model.Part{model.Text{Text: told(text, "")}}, piece)
		}
		next, err := a.write(ctx, messages, i == len(todo)-1)
		if err != nil || next == "" {
			return "", err
		}
		text = next
	}
	return text, nil
}

// write asks for a snapshot of a conversation, and with check asks whether
// anything is missing from it. What the check brings is taken when it is a
// snapshot.
func (a *author) write(ctx context.Context, messages []model.Message, check bool) (string, error) {
	req := model.Request{Model: a.name, System: strings.TrimSpace(snapshotText), Messages: say(messages, a.order(messages))}
	first, err := a.ask(ctx, req)
	if err != nil {
		return "", err
	}
	text := snapshotOf(first)
	if text == "" || !check {
		return text, nil
	}
	req.Messages = append(req.Messages,
		model.Message{ID: "draft", Role: model.Model, Parts: []model.Part{model.Text{Text: first}}},
		model.Message{ID: "check", Role: model.User, Parts: []model.Part{model.Text{Text: strings.TrimSpace(verifyText)}}})
	second, err := a.ask(ctx, req)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err == nil && strings.Contains(second, snapshotBegins) {
		return snapshotOf(second), nil
	}
	return text, nil // what was written first is better than nothing
}

// order is what the model is told to write.
func (a *author) order(messages []model.Message) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(writeText))
	if slices.ContainsFunc(messages, hasSnapshot) {
		b.WriteString("\n\nA snapshot of what was before stands in the conversation, between " + snapshotBegins + " and " + snapshotEnds +
			". It is all that is left of that part. Take over everything in it that still holds, bring up to date what has changed since, and leave out only what is settled.")
	}
	if a.in.Plan != "" {
		b.WriteString("\n\nThe user approved the plan in the file " + a.in.Plan + ". Name this path in <key_knowledge>, and in <task_state> say how far the plan is carried out.")
	}
	if a.in.Focus != "" {
		b.WriteString("\n\nThe user wants this kept above all: " + a.in.Focus)
	}
	return b.String()
}

func hasSnapshot(m model.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p model.Part) bool {
		t, ok := p.(model.Text)
		return ok && isSummary(t.Text)
	})
}

func (a *author) ask(ctx context.Context, req model.Request) (string, error) {
	w, err := model.Ask(ctx, a.g, req)
	a.usage = a.usage.Add(w.Usage)
	return w.Text, err
}

// say has the user say something at the end of a conversation.
func say(messages []model.Message, text string) []model.Message {
	said := model.Text{Text: text}
	messages = slices.Clone(messages)
	if last := &messages[len(messages)-1]; last.Role == model.User {
		last.Parts = append(slices.Clone(last.Parts), said)
		return messages
	}
	return append(messages, model.Message{ID: "order", Role: model.User, Parts: []model.Part{said}})
}

var scratchpad = regexp.MustCompile(`(?s)<scratchpad>.*?(</scratchpad>|$)`)

// snapshotOf is the snapshot in an answer, with its tags. An answer without
// tags is taken as it is, but for what the model noted for itself.
func snapshotOf(answer string) string {
	answer = strings.TrimSpace(scratchpad.ReplaceAllString(answer, ""))
	from := strings.Index(answer, snapshotBegins)
	if from < 0 {
		return answer
	}
	if to := strings.LastIndex(answer, snapshotEnds); to > from {
		return answer[from : to+len(snapshotEnds)]
	}
	return answer[from:] + "\n" + snapshotEnds // it was cut off
}

// The request that the model is at work on stands between these.
const (
	requestBegins = "<request_in_progress>"
	requestEnds   = "</request_in_progress>"
	longRequest   = 8000 // characters that are quoted of it
)

// summarised begins what is told in place of what was summed up. What stands
// between the tags counts in such a text alone: a file may hold the same tags.
const summarised = "The conversation before this was summed up to save room. "

func isSummary(text string) bool { return strings.HasPrefix(text, summarised) }

// noRequest keeps a snapshot from holding a request in progress.
var noRequest = strings.NewReplacer(requestBegins, "&lt;"+requestBegins[1:], requestEnds, "&lt;"+requestEnds[1:])

// told is what the model is told in place of what was summed up.
func told(snapshot, request string) string {
	text := summarised + "The following summary is all that is left of it.\n\n" + noRequest.Replace(snapshot)
	if request != "" {
		text += "\n\nYou are at work on this request of the user's, given here word for word:\n\n" + requestBegins + "\n" + request + "\n" + requestEnds
	}
	return text
}

// inProgress is the request that the rounds of calls from at on belong to, when
// it is older than these; otherwise it is empty.
func inProgress(messages []model.Message, at int) string {
	if at == len(messages) || messages[at].Role == model.User {
		return ""
	}
	for i := at - 1; i >= 0; i-- {
		if messages[i].Role == model.User && !holds[model.Result](messages[i]) {
			return request(messages[i])
		}
	}
	return ""
}

// request returns what the user typed in a message, without what the agent put
// beside it. Of a summary it is the request that the summary quotes.
func request(m model.Message) string {
	var texts []string
	for _, p := range m.Parts {
		t, ok := p.(model.Text)
		if !ok || t.Text == "" {
			continue
		}
		if from, to := strings.Index(t.Text, requestBegins), strings.LastIndex(t.Text, requestEnds); isSummary(t.Text) && from >= 0 && to > from {
			return strings.TrimSpace(t.Text[from+len(requestBegins) : to])
		}
		if t.Given {
			continue
		}
		texts = append(texts, t.Text)
	}
	text := strings.Join(texts, "\n\n")
	if cut := last(text, longRequest, len(text)); len(cut) < len(text) { // what is asked stands at the end, behind what it is about
		return fmt.Sprintf("(%d bytes before this are left out.)\n%s", len(text)-len(cut), cut)
	}
	return text
}
