package agent

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/emendo-dev/emendo/agent/model"
)

// Queued is a prompt that was taken and is read later. It waits until a
// [UserChunk] of its message or of its turn says that it was said, or an
// [Unqueued] that it was taken back: what waits when a process ends is not lost.
type Queued struct {
	TurnID    string  `json:"turnId"` // the turn that it is part of: its own, or the one that it steers
	MessageID string  `json:"messageId"`
	Blocks    []Block `json:"blocks"`
	Steer     bool    `json:"steer,omitempty"`
}

// Unqueued takes a prompt back that waits.
type Unqueued struct {
	MessageID string `json:"messageId"`
}

func (Queued) isEvent()   {}
func (Unqueued) isEvent() {}

// heed folds in that a prompt was said or taken back, also where a rewind has
// taken that out: it does not wait again. s.mu is held.
func (s *Session) heed(r record) {
	switch e := r.Event.(type) { //nolint:gochecksumtype // the other events let nothing go
	case UserChunk:
		s.unsaid = slices.DeleteFunc(s.unsaid, func(q Queued) bool { return q.MessageID == e.MessageID || !q.Steer && q.TurnID == r.Turn })
	case FoldersAdded:
		s.work.mu.Lock()
		s.work.named = append(s.work.named, e.Folders...)
		s.work.mu.Unlock()
	case Unqueued:
		s.unsaid = slices.DeleteFunc(s.unsaid, func(q Queued) bool { return q.MessageID == e.MessageID })
	}
}

// forsaken takes the prompts for which no turn of this process will begin.
func (s *Session) forsaken() []Queued {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := slices.DeleteFunc(s.unsaid, func(q Queued) bool {
		if t := s.running; t != nil && (t.id == q.TurnID || slices.ContainsFunc(t.steers, func(p Prompt) bool { return p.messageID == q.MessageID })) {
			return true
		}
		return slices.ContainsFunc(s.waiting, func(w *queued) bool { return w.turnID == q.TurnID })
	})
	s.unsaid = nil
	return l
}

// takeUp says, before the turn's own prompt, what waited when a process ended.
func (t *turn) takeUp(ctx context.Context) {
	for _, q := range t.session.forsaken() {
		t.say(ctx, q.MessageID, Prompt{Blocks: q.Blocks, Snapshot: t.prompt.Snapshot}, q.Steer)
	}
}

// recall makes what waited when a process ended a part of the conversation: the
// next prompt carries it along. While a turn runs, here or in another process,
// there is nothing to do, since a turn begins with that.
func (s *Session) recall(ctx context.Context) error {
	s.mu.Lock()
	none := len(s.unsaid) == 0
	s.mu.Unlock()
	if none {
		return nil
	}
	err := s.begin(ctx, aMoment)
	if err == nil {
		defer s.finish()
		if err = s.lock(ctx); err == nil {
			defer s.unlock()
			err = s.recallLocked(ctx)
		}
	}
	if errors.Is(err, ErrBusy) {
		return nil
	}
	return err
}

func (s *Session) recallLocked(ctx context.Context) error {
	l := s.forsaken()
	if len(l) == 0 {
		return nil
	}
	var rs []record
	for _, q := range l {
		add := func(e Event) { rs = append(rs, record{Turn: q.TurnID, At: s.agent.now(), Event: e}) }
		parts, withheld := s.linked(ctx, Prompt{Blocks: q.Blocks, Snapshot: s.agent.o.Workspace.Snapshot()})
		for _, n := range withheld {
			add(n)
		}
		for _, g := range parts {
			g.MessageID = q.MessageID
			add(g)
		}
		_, aside := commandOf(Prompt{Blocks: q.Blocks})
		for _, b := range q.Blocks {
			add(UserChunk{MessageID: q.MessageID, Block: b, Steer: q.Steer, Aside: aside})
		}
	}
	rs = append(rs, record{Turn: l[len(l)-1].TurnID, At: s.agent.now(), Event: Notice{
		Severity: Info, Code: NoticeStopped, Title: "What waited was not answered",
		Description: "emendo ended before. The model reads it with your next prompt.",
	}})
	for i, r := range rs {
		if shown(r.Event) {
			r.Seq = s.nextSeq()
		}
		if err := s.log.append(r, i == len(rs)-1); err != nil {
			s.reread()
			return err
		}
		s.history.add(r.Event)
	}
	return nil
}

// unable answers for a model that there is not, in a turn that was queued.
type unable struct{ why error }

// Stream implements [model.Generator].
func (u unable) Stream(context.Context, model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) { yield(model.Chunk{}, u.why) }
}
