package chat

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Turns runs the turns that prompts and commands begin, and shows them.
type Turns struct {
	c         *client.Client
	current   *Current
	running   *running
	sessions  *Sessions
	infos     *Infos
	live      liveOutput
	queue     *Queue
	lastToken atomic.Int64 // of a progress

	documents Documents
	named     sync.Map // where messages said that conversations are, by session

	signedOut atomic.Bool
}

// SignedOut reports whether the provider rejected the credentials of the last
// turn, or there were none.
func (t *Turns) SignedOut() bool { return t.signedOut.Load() }

// Running reports whether a prompt is not answered yet; prompts in a paused queue do
// not count.
func (t *Turns) Running() bool { return t.running.anyUnpaused("") }

// RunningIn is Running for a session.
func (t *Turns) RunningIn(sessionID string) bool { return t.running.anyUnpaused(sessionID) }

// ShowInProgress shows a message in the progress of a turn.
func (t *Turns) ShowInProgress(turnID, message string) {
	if p := t.progressOf(turnID); p != nil {
		p.setMessage(message)
	}
}

// progressOf returns the progress that shows a turn, or nil.
func (t *Turns) progressOf(turnID string) *progress {
	if x := t.running.withTurnID(turnID); x != nil {
		return x.progress.Load()
	}
	return nil
}

// CancelParams are the params of emendo/session/cancel.
type CancelParams struct {
	SessionID string `json:"sessionId"`
	CallID    string `json:"toolCallId"`
}

// Cancel cancels a session's turn, or one call of it. It finds every prompt that
// arrived before, begun or not.
func (t *Turns) Cancel(p CancelParams) error {
	t.running.cancel(p.SessionID, p.CallID)
	return nil
}

// CancelAll cancels every turn.
func (t *Turns) CancelAll() {
	for _, x := range t.running.inSession("") {
		x.abandon()
	}
}

// End cancels every turn and waits for them to end, or for ctx.
func (t *Turns) End(ctx context.Context) error { return t.running.abandonAll(ctx, "") }

// noteAuth records whether the provider accepted the credentials, as the end of a
// turn shows.
func (t *Turns) noteAuth(err error) {
	var provider *model.Error
	if signedOut := errors.As(err, &provider) && provider.Kind == model.Auth; signedOut || err == nil {
		t.signedOut.Store(signedOut)
	}
}

// update is the wire form of a session's update.
type update struct {
	SessionID string          `json:"sessionId"`
	Seq       int64           `json:"seq"`
	TurnID    string          `json:"turnId,omitzero"`
	Replay    bool            `json:"replay,omitzero"`
	Update    json.RawMessage `json:"update"`
}

func updateOf(u transcript.Update) update {
	return update{u.SessionID, u.Seq, u.TurnID, u.Replay, acp.Update(u.Event)}
}

// Show sends an update of a session. It waits while the client reads slowly.
func (t *Turns) Show(ctx context.Context, u transcript.Update) error {
	x := t.running.withTurnID(u.TurnID)
	if p := t.progressOf(u.TurnID); p != nil && !u.Replay {
		p.follow(u.Event)
	}
	t.documents.AddUpdate(u)
	if _, ok := u.Event.(transcript.UsageUpdated); ok || t.infos.follow(u) {
		t.c.Touch()
	}
	if t.c.Can.Updates() {
		if err := t.send(ctx, u); err != nil {
			return err
		}
	}
	switch u.Event.(type) { //nolint:gochecksumtype // the other events do not change the queue
	case transcript.UserChunk, transcript.TurnEnded:
		if x != nil {
			t.queue.sendIfChanged(x.session.Load())
		}
	}
	return nil
}

// Rewound notifies a client with several views that a session has forgotten a turn and all
// after it, or has them again.
func (t *Turns) Rewound(sessionID string, b transcript.Back) {
	t.c.Touch()
	t.sessions.tellRewound(sessionID, b)
}

// send sends an update.
func (t *Turns) send(ctx context.Context, u transcript.Update) error {
	sent := update{u.SessionID, u.Seq, u.TurnID, u.Replay, nil}
	if t.c.Can.OutputDelta {
		sent.Update = t.live.encode(u)
	} else {
		sent.Update = acp.Update(u.Event)
	}
	return t.c.Send(ctx, "emendo/session/update", sent)
}

// liveOutput knows what of the output of running calls a client has, so that one
// that declared `outputDelta` is sent only what was added.
type liveOutput struct {
	mu   sync.Mutex
	sent map[liveCall]string
}

type liveCall struct{ sessionID, callID string }

// encode returns the wire form of an update. The output is sent whole the first
// time, and when it does not begin with what was sent before.
func (l *liveOutput) encode(u transcript.Update) json.RawMessage {
	e, ok := u.Event.(transcript.ToolUpdate)
	if !ok || u.Replay {
		return acp.Update(u.Event)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	call := liveCall{u.SessionID, e.CallID}
	if e.State != transcript.Executing {
		delete(l.sent, call)
		return acp.Update(e)
	}
	before := l.sent[call]
	l.sent[call] = e.Live
	if added, grown := strings.CutPrefix(e.Live, before); grown && before != "" {
		return acp.OutputDelta(e, added)
	}
	return acp.Update(e)
}
