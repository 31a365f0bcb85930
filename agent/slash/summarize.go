package slash

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// How much of a session is read to summarize it, and the limit on a summary, in
// characters.
const (
	summedMessages = 20 // the first half from the start of the session
	summedText     = 500
	longestSummary = 160
)

// summaryWithin limits the time of the request.
const summaryWithin = time.Minute

//go:embed summarize.md
var summaryText string

// summarize asks the model for a summary of the session. It costs a request, so it
// only runs at the user's command.
func (t runner) summarize(ctx context.Context, _ string) (string, error) {
	s := t.session
	if err := t.turn.Outbox.Flush(nil); err != nil {
		return "", err
	}
	rs, err := s.Read()
	if err != nil {
		return "", err
	}
	said := dialogue(transcript.Surviving(rs))
	if said == "" {
		return "The conversation is empty.", nil
	}
	g, name, err := t.host.Utility(model.Summarizer)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, summaryWithin)
	defer cancel()
	w, err := model.Ask(ctx, g, model.Request{Model: name, System: strings.TrimSpace(summaryText), Messages: []model.Message{
		{ID: s.Agent.Options.NewID(), Role: model.User, Parts: []model.Part{model.Text{Text: said}}},
	}})
	if err != nil {
		return "", fmt.Errorf("summarize session %s: %w", s.SessionID, err)
	}
	summary := transcript.CleanTitle(unquoted(w.Text), longestSummary)
	if summary == "" {
		return "The model returned no summary.", nil
	}
	s.Record.SetInfo(func(i *transcript.SessionInfo) { i.Summary = summary })
	t.turn.Emit(transcript.Summarised{Summary: summary})
	return summary, nil
}

// dialogue returns the part of the conversation that the summary is made from;
// empty if there is none.
func dialogue(rs []transcript.Record) string {
	type message struct{ id, label, text string }
	var all []message
	say := func(id, label, text string) {
		if n := len(all); n > 0 && all[n-1].id == id {
			all[n-1].text += text
			return
		}
		all = append(all, message{id, label, text})
	}
	void := map[string]bool{}
	for _, r := range rs {
		switch e := r.Event.(type) { //nolint:gochecksumtype // the others are not dialogue
		case transcript.UserChunk:
			if !e.Aside && e.Block.Type == transcript.TextBlock {
				say(e.MessageID, "User", e.Block.Text)
			}
		case transcript.Text:
			if !e.Aside {
				say(e.MessageID, "Agent", e.Text)
			}
		case transcript.Retract:
			void[e.MessageID] = true
		case transcript.Withdrawn:
			void[e.MessageID] = true
		}
	}
	var lines []string
	for _, m := range all {
		text := strings.TrimSpace(m.text)
		if text == "" || void[m.id] {
			continue
		}
		if c := []rune(text); len(c) > summedText {
			text = string(c[:summedText]) + "..."
		}
		lines = append(lines, m.label+": "+text)
	}
	if n := len(lines); n > summedMessages {
		lines = append(append(lines[:summedMessages/2:summedMessages/2], "(…)"), lines[n-summedMessages/2:]...)
	}
	return strings.Join(lines, "\n\n")
}

// unquoted strips a pair of quotes around a text.
func unquoted(s string) string {
	s = strings.TrimSpace(s)
	for _, q := range []string{`""`, `''`, "``", "“”"} {
		if r := []rune(q); len(s) > len(string(r)) && strings.HasPrefix(s, string(r[0])) && strings.HasSuffix(s, string(r[1])) {
			return strings.TrimSuffix(strings.TrimPrefix(s, string(r[0])), string(r[1]))
		}
	}
	return s
}
