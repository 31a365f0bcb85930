package export

import (
	"bytes"
	"encoding/json"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/visible"
)

// update is an update in the form of emendo/session/replay.
type update struct {
	SessionID string          `json:"sessionId"`
	Seq       int64           `json:"seq"`
	TurnID    string          `json:"turnId,omitempty"`
	Update    json.RawMessage `json:"update"`
}

// JSON returns a session as an indented object {session, updates}, the latter as
// emendo/session/replay returns them.
func JSON(info transcript.SessionInfo, updates []transcript.Update) (string, error) {
	wire := make([]update, len(updates))
	for i, u := range updates {
		wire[i] = update{u.SessionID, u.Seq, u.TurnID, acp.Update(u.Event)}
	}
	var b bytes.Buffer
	err := visible.PrintJSON(&b, map[string]any{"session": acp.SessionInfoOf(info), "updates": wire})
	return b.String(), err
}
