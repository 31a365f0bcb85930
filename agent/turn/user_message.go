package turn

import (
	"context"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/tools"
)

// appendStart records the session itself, before its first prompt.
func (t *Turn) appendStart() {
	limit := t.models.Limit()
	_ = t.session.Begin(func(e transcript.Event) error { t.conv.Outbox.Put(e); return nil }) // the turn ends with the outbox's error
	if t.session.Info().Usage.ContextLimit == 0 {
		t.session.Record.SetInfo(func(i *transcript.SessionInfo) { i.Usage.ContextLimit = limit })
	}
}

// appendPrompt records and shows the prompt with its context. It returns the ID of its
// message.
func (t *Turn) appendPrompt(ctx context.Context) (messageID string) {
	s := t.session
	messageID = s.Agent.Options.NewID()
	t.sent.messageID = messageID
	t.appendOrphaned(ctx)
	t.addFolders()
	for _, g := range s.Briefing.Surroundings(ctx, state.FromHistory(s.Record, (*transcript.History).Environment)) {
		if !t.prompt.Exclude.Excludes(g.Kind, g.Source) {
			g.MessageID = messageID
			t.conv.Emit(g)
		}
	}
	t.review.LookAtEdits(ctx, t.drawing.Busy())
	if g, ok := t.review.Decisions(messageID); ok {
		t.conv.Emit(g)
	}
	t.appendMessage(ctx, messageID, t.prompt, false)
	if s.Info().Title == "" {
		if title := transcript.TitleOf(t.prompt.Blocks); title != "" {
			s.Record.SetInfo(func(i *transcript.SessionInfo) { i.Title = title })
			t.conv.Outbox.Put(transcript.InfoChanged{Title: title, At: s.Agent.Now()})
		}
	}
	return messageID
}

// appendMessage records and shows a message of the user's with its context.
func (t *Turn) appendMessage(ctx context.Context, messageID string, p state.Prompt, steer bool) {
	s := t.session
	if p.Focus != nil {
		t.focused = p
	}
	t.sendEditor(ctx, messageID, p)
	parts, withheld := s.Briefing.Linked(ctx, p.Blocks, p.Snapshot)
	for _, g := range parts {
		if !p.Exclude.Excludes(g.Kind, g.Source) {
			g.MessageID = messageID
			t.conv.Emit(g)
		}
	}
	expands := t.sent.custom != nil && messageID == t.sent.messageID
	aside := !expands && slash.Is(ctx, s, p) // a command that was queued when a process ended is not run any more
	for i, b := range p.Blocks {
		b = b.WithoutSecrets()
		e := transcript.UserChunk{MessageID: messageID, Block: b, Steer: steer, Aside: aside, Expanded: expands && i == 0}
		if i < len(p.Blocks)-1 {
			t.conv.Emit(e)
		} else {
			t.conv.EmitSynced(e)
		}
	}
	for _, n := range withheld {
		t.conv.Emit(n)
	}
}

// sendEditor sends the model, with a message, what the user had open and selected when a
// prompt was sent: all of it, or what has changed since it was sent last.
func (t *Turn) sendEditor(ctx context.Context, messageID string, p state.Prompt) {
	if p.Focus == nil || p.Exclude.Excludes(transcript.KindEditor, p.ActivePath()) {
		return
	}
	if g, ok := t.session.Briefing.Editor(ctx, messageID, *p.Focus, p.Snapshot); ok {
		t.conv.Emit(g)
	}
}

// addFolders takes the folders that the user has added to the workspace into the
// session, before the turn's first step. One that is not trusted stays out of a
// trusted session, which would be restricted otherwise.
func (t *Turn) addFolders() {
	s := t.session
	var add []string
	for _, f := range append(s.Work.TakeNamed(), t.prompt.Folders...) {
		f = disk.RealPath(f)
		switch {
		case s.Work.Tree().Contains(f) || slices.Contains(add, f) || !paths.IsFolder(f):
		case !s.Trusted() || s.Agent.Options.Trusted(f):
			add = append(add, f)
		case s.Work.Refuse(f):
			t.conv.Warn(transcript.NoticeNotSent, "A folder is not part of this session", fmt.Sprintf("%s is not trusted, and this session's folders are. Trust it to work there.", tools.ShownLine(f, 300)))
		}
	}
	if len(add) == 0 {
		return
	}
	err := s.Agent.Widen(add)
	var roots []string
	if err == nil {
		roots, err = s.Work.Add(add)
	}
	if err != nil {
		s.Agent.Log.Warn("folders are not added", "session", s.SessionID, "folders", add, "err", err)
		return
	}
	s.Record.SetInfo(func(i *transcript.SessionInfo) { i.Roots = roots })
	t.conv.Emit(transcript.FoldersAdded{Folders: add})
}

// sendNestedContext sends the model the context files of folders that calls have touched
// since the last step, after the results. It sends a file again only if a compaction or a
// rewind removed it.
func (t *Turn) sendNestedContext(ctx context.Context) {
	for _, g := range t.session.Briefing.Nested(ctx, t.conv.TakeTouched(), state.FromHistory(t.session.Record, (*transcript.History).Files)) {
		g.MessageID = t.conv.LastMessage()
		t.conv.Emit(g)
	}
}
