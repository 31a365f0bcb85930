package agent

import (
	"context"

	"github.com/emendo-dev/emendo/agent/transcript"
)

// appendStart records the session itself, before its first prompt.
func (t *turn) appendStart() {
	s := t.session
	if !s.isStored() {
		st := s.started
		i := s.Info()
		st.Model, st.Mode = i.Model, i.Mode
		t.box.put(st)
		if i.Title != "" { // given before the first prompt
			t.box.put(transcript.InfoChanged{Title: i.Title, At: s.agent.now()})
		}
		for _, e := range s.leftOut() {
			t.box.put(transcript.Excluded{Exclusion: e, On: true})
		}
		s.mu.Lock()
		s.stored = true
		s.info.Usage.ContextLimit = s.agent.o.ContextLimit(t.model)
		s.mu.Unlock()
	}
}

// appendPrompt records and shows the prompt, with what the model is given beside
// it. It returns the ID of its message.
func (t *turn) appendPrompt(ctx context.Context) (messageID string) {
	s := t.session
	messageID = s.agent.o.NewID()
	t.appendOrphaned(ctx)
	t.enlarge()
	t.surround(ctx, messageID)
	if g, ok := t.decisions(messageID); ok {
		t.emit(g)
	}
	t.appendMessage(ctx, messageID, t.prompt, false)
	if s.Info().Title == "" {
		if title := transcript.TitleOf(t.prompt.Blocks); title != "" {
			s.mu.Lock()
			s.info.Title = title
			s.mu.Unlock()
			t.box.put(transcript.InfoChanged{Title: title, At: s.agent.now()})
		}
	}
	return messageID
}

// appendMessage records and shows a message of the user's, with what the model is
// given beside it.
func (t *turn) appendMessage(ctx context.Context, messageID string, p Prompt, steer bool) {
	s := t.session
	if p.Focus != nil {
		if g, ok := s.editorContext(ctx, messageID, *p.Focus, p.Snapshot); ok {
			t.emit(g)
		}
	}
	parts, withheld := s.linked(ctx, p)
	for _, g := range parts {
		g.MessageID = messageID
		t.emit(g)
	}
	_, aside := commandOf(p) // a command that was queued when a process ended is not run any more
	for i, b := range p.Blocks {
		e := transcript.UserChunk{MessageID: messageID, Block: b, Steer: steer, Aside: aside}
		if i < len(p.Blocks)-1 {
			t.emit(e)
		} else {
			t.emitSynced(e)
		}
	}
	for _, n := range withheld {
		t.emit(n)
	}
}
