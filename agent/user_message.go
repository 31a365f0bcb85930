package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/tools"
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
	t.mu.Lock()
	known := s.history.Environment()
	t.mu.Unlock()
	for _, g := range s.briefing.Surroundings(ctx, known) {
		g.MessageID = messageID
		t.emit(g)
	}
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
		if g, ok := s.briefing.Editor(ctx, messageID, *p.Focus, p.Snapshot); ok {
			t.emit(g)
		}
	}
	parts, withheld := s.briefing.Linked(ctx, p.Blocks, p.Snapshot)
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

// enlarge takes the folders that the user has added to the workspace into the
// session, before the turn's first step. One that is not trusted stays out of a
// trusted session, which would be restricted otherwise.
func (t *turn) enlarge() {
	s := t.session
	var add []string
	for _, f := range append(s.work.TakeNamed(), t.prompt.Folders...) {
		f = disk.RealPath(f)
		switch {
		case s.work.Tree().Contains(f) || slices.Contains(add, f) || !isFolder(f):
		case !s.Trusted() || s.agent.o.Trusted(f):
			add = append(add, f)
		case s.work.Refuse(f):
			t.emit(transcript.Notice{
				Severity: transcript.Warning, Code: transcript.NoticeNotSent, Title: "A folder is not part of this session",
				Description: fmt.Sprintf("%s is not trusted, and this session's folders are. Trust it to work there.", tools.ShownLine(f, 300)),
			})
		}
	}
	if len(add) == 0 {
		return
	}
	err := s.agent.widen(add)
	var roots []string
	if err == nil {
		roots, err = s.work.Add(add)
	}
	if err != nil {
		s.agent.log.Warn("folders are not added", "session", s.id, "folders", add, "err", err)
		return
	}
	s.setInfo(func(i *transcript.SessionInfo) { i.Roots = roots })
	t.emit(transcript.FoldersAdded{Folders: add})
}

// touch notes where a successful call was.
func (t *turn) touch(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if path != "" && !slices.Contains(t.touched, path) {
		t.touched = append(t.touched, path)
	}
}

// giveNested gives the model the context files of the folders that its calls have
// touched since the last step, behind their results. What it still has is not
// given again; what was compacted away or rewound is.
func (t *turn) giveNested(ctx context.Context) {
	t.mu.Lock()
	touched := t.touched
	t.touched = nil
	have := t.session.history.Files()
	t.mu.Unlock()
	for _, g := range t.session.briefing.Nested(ctx, touched, have) {
		g.MessageID = t.lastMessage()
		t.emit(g)
	}
}
