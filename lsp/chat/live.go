package chat

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/transcript"
)

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
