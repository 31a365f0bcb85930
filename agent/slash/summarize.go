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

// How much of a session a model reads to sum it up, and how long a summary is
// at most, in characters.
const (
	summedMessages = 20 // the first half from the beginning
	summedText     = 500
	longestSummary = 160
)

// summaryWithin is how long the model may take.
const summaryWithin = time.Minute

//go:embed summarize.md
var summaryText string

// summarize has the model say what the session was about. Only the user's word
// brings it about: it costs a request.
func (t runner) summarize(ctx context.Context, _ string) (string, error) {
	s := t.Session
	if err := t.Flush(); err != nil {
		return "", err
	}
	rs, err := s.Read()
	if err != nil {
		return "", err
	}
	said := dialogue(transcript.Surviving(rs))
	if said == "" {
		return "Nothing was said yet.", nil
	}
	g, name, err := t.Utility(model.Summarizer)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, summaryWithin)
	defer cancel()
	w, err := model.Ask(ctx, g, model.Request{Model: name, System: strings.TrimSpace(summaryText), Messages: []model.Message{
		{ID: s.Agent.Options.NewID(), Role: model.User, Parts: []model.Part{model.Text{Text: said}}},
	}})
	if err != nil {
		return "", fmt.Errorf("summing up session %s: %w", s.SessionID, err)
	}
	summary := transcript.CleanTitle(unquoted(w.Text), longestSummary)
	if summary == "" {
		return "The model found nothing to say.", nil
	}
	s.Mu.Lock()
	s.Details.Summary = summary
	s.Mu.Unlock()
	t.Emit(transcript.Summarised{Summary: summary})
	return summary, nil
}

// dialogue is what the user and the model said, as far as it is read to sum it
// up; empty when nothing was said.
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
		switch e := r.Event.(type) { //nolint:gochecksumtype // the others are not said
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

// unquoted is a text without the pair of quotes that it stands in.
func unquoted(s string) string {
	s = strings.TrimSpace(s)
	for _, q := range []string{`""`, `''`, "``", "“”"} {
		if r := []rune(q); len(s) > len(string(r)) && strings.HasPrefix(s, string(r[0])) && strings.HasSuffix(s, string(r[1])) {
			return strings.TrimSuffix(strings.TrimPrefix(s, string(r[0])), string(r[1]))
		}
	}
	return s
}
