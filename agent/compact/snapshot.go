package compact

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

//go:embed snapshot.md
var snapshotText string // system prompt of the model that summarizes

//go:embed write.md
var writeText string // asks for the snapshot, after the conversation

//go:embed verify.md
var verifyText string // asks to check the snapshot

// The tags around a snapshot.
const (
	snapshotBegins = "<state_snapshot>"
	snapshotEnds   = "</state_snapshot>"
)

// usable is the share of the model's limit that a conversation to be summarized may
// take. The rest is for the snapshot and for errors of the estimate.
const usable = 0.8

// author asks a model for summaries.
type author struct {
	g    model.Generator
	name string
	in   Input
}

// halvings is how often less is sent after the model refused a part of the conversation
// as too long.
const halvings = 5

// summary summarizes messages: whole if they fit the model, else with old results
// cut. If these do not fit either, it proceeds piece by piece, each with the snapshot
// of the pieces before it, and smaller ones if the model refuses these. It returns an
// empty text if the model wrote nothing.
func (a author) summary(ctx context.Context, whole, short []model.Message) (string, error) {
	space := int64(usable * float64(a.in.Limit))
	for try := 0; ; try++ {
		text, err := a.within(ctx, whole, short, space)
		if e, ok := errors.AsType[*model.Error](err); !ok || e.Kind != model.Overflow || try == halvings || ctx.Err() != nil {
			return text, err
		}
		space = min(space, a.size(whole)) / 2
	}
}

// size estimates the tokens of a request for a summary of messages.
func (a author) size(messages []model.Message) int64 {
	own := model.TextTokens(snapshotText) + model.TextTokens(writeText) + model.TextTokens(verifyText)
	return a.in.Ratio.Scale(own + model.MessagesTokens(messages))
}

// within summarizes messages in requests of at most space tokens.
func (a author) within(ctx context.Context, whole, short []model.Message, space int64) (string, error) {
	todo := [][]model.Message{whole}
	if a.size(whole) > space {
		todo = pieces(short, space, a.size)
	}
	text := ""
	for i, piece := range todo {
		messages := piece
		if i > 0 {
			messages = stitch("snapshot", []model.Part{model.Text{Text: summaryText(text, "")}}, piece)
		}
		if a.size(messages) > space { // one that cannot be divided
			in := a.in
			in.Limit, in.Save = int64(float64(space)/usable), nil
			messages, _ = in.fitLimit(messages, nil, a.size(nil))
		}
		next, err := a.write(ctx, messages, i == len(todo)-1)
		if err != nil || next == "" {
			return "", err
		}
		text = next
	}
	return text, nil
}

// write asks for a snapshot of a conversation and, with check, to correct it. If the
// answer to the check contains no snapshot, the first one counts.
func (a author) write(ctx context.Context, messages []model.Message, check bool) (string, error) {
	req := model.Request{Model: a.name, System: strings.TrimSpace(snapshotText), Messages: appendUserText(messages, a.instruction(messages))}
	first, err := model.Ask(ctx, a.g, req)
	if err != nil {
		return "", err
	}
	text := snapshotOf(first.Text)
	if text == "" || !check {
		return text, nil
	}
	req.Messages = append(req.Messages,
		model.Message{ID: "draft", Role: model.Model, Parts: []model.Part{model.Text{Text: first.Text}}},
		model.Message{ID: "check", Role: model.User, Parts: []model.Part{model.Text{Text: strings.TrimSpace(verifyText)}}})
	second, err := model.Ask(ctx, a.g, req)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err == nil && strings.Contains(second.Text, snapshotBegins) {
		return snapshotOf(second.Text), nil
	}
	return text, nil // an unchecked snapshot is better than none
}

// instruction returns the message that asks for the snapshot.
func (a author) instruction(messages []model.Message) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(writeText))
	if slices.ContainsFunc(messages, hasSnapshot) {
		b.WriteString("\n\nThe conversation contains a snapshot of an earlier part, between " + snapshotBegins + " and " + snapshotEnds +
			". It is all that is left of that part. Keep everything in it that still applies, update what has changed since, and leave out only what is settled.")
	}
	if a.in.Plan != "" {
		b.WriteString("\n\nThe user approved the plan in the file " + a.in.Plan + ". Name this path in <key_knowledge>, and say in <task_state> how far the plan has been carried out.")
	}
	if a.in.Focus != "" {
		b.WriteString("\n\nThe user wants the snapshot to keep this above all: " + a.in.Focus)
	}
	return b.String()
}

func hasSnapshot(m model.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p model.Part) bool {
		t, ok := p.(model.Text)
		return ok && isSummary(t.Text)
	})
}

// appendUserText appends a text of the user's to a conversation.
func appendUserText(messages []model.Message, text string) []model.Message {
	said := model.Text{Text: text}
	messages = slices.Clone(messages)
	if last := &messages[len(messages)-1]; last.Role == model.User {
		last.Parts = append(slices.Clone(last.Parts), said)
		return messages
	}
	return append(messages, model.Message{ID: "order", Role: model.User, Parts: []model.Part{said}})
}

var scratchpad = regexp.MustCompile(`(?s)<scratchpad>.*?(</scratchpad>|$)`)

// snapshotOf returns the snapshot in an answer, with its tags. An answer without tags
// is returned whole, except for the scratchpad.
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

// The tags around the request that the model is working on.
const (
	requestBegins = "<request_in_progress>"
	requestEnds   = "</request_in_progress>"
	longRequest   = 8000 // the most characters that are quoted of it
)

// summarized begins every summary. The tags count only in a text that begins with
// it, since a file may contain the same tags.
const summarized = "The conversation before this was summarized to save space. "

// summedUp begins the summaries of sessions that were stored before summarized was
// reworded.
const summedUp = "The conversation before this was summed up to save room. "

func isSummary(text string) bool {
	return strings.HasPrefix(text, summarized) || strings.HasPrefix(text, summedUp)
}

// noRequest escapes the tags of a request in a snapshot.
var noRequest = strings.NewReplacer(requestBegins, "&lt;"+requestBegins[1:], requestEnds, "&lt;"+requestEnds[1:])

// summaryText returns the text that replaces the summarized part of a conversation.
func summaryText(snapshot, request string) string {
	text := summarized + "The following summary is all that is left of it.\n\n" + noRequest.Replace(snapshot)
	if request != "" {
		text += "\n\nYou are working on this request of the user's, quoted word for word:\n\n" + requestBegins + "\n" + request + "\n" + requestEnds
	}
	return text
}

// inProgress returns the request that the calls from message at on belong to, if it
// is in an older message; otherwise an empty text.
func inProgress(messages []model.Message, at int) string {
	if at == len(messages) || messages[at].Role == model.User {
		return ""
	}
	for i := at - 1; i >= 0; i-- {
		if messages[i].Role == model.User && !model.Has[model.Result](messages[i]) {
			return request(messages[i])
		}
	}
	return ""
}

// request returns what the user typed in a message, without what the agent added.
// For a summary it returns the request that the summary quotes.
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
	if cut := suffixWithin(text, longRequest, len(text)); len(cut) < len(text) { // the question usually follows its material
		return fmt.Sprintf("(%d bytes omitted)\n%s", len(text)-len(cut), cut)
	}
	return text
}
