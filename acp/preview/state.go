package preview

import (
	"encoding/json"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// state encodes an update of the state of a session.
func state(name string, more object) json.RawMessage {
	u := object{"sessionUpdate": "state_update", "state": name}
	for k, v := range more {
		u[k] = v
	}
	raw, err := json.Marshal(u)
	if err != nil {
		raw, _ = json.Marshal(object{"sessionUpdate": "state_update", "state": name}) // strings alone
	}
	return raw
}

// Running is the update of a session in which a turn runs.
func Running() json.RawMessage { return state("running", nil) }

// Waiting is the update of a session whose turn waits for the user.
func Waiting() json.RawMessage { return state("requires_action", nil) }

// Ended is the update of a session whose turn has ended.
func Ended(p acp.Prompted) json.RawMessage {
	return state("idle", object{"stopReason": p.StopReason, "_meta": p.Meta})
}

// Failed is the update of a session whose turn has failed.
func Failed(e *rpc.Error) json.RawMessage {
	wire := object{"code": e.Code, "message": e.Message}
	if e.Data != nil {
		wire["data"] = e.Data
	}
	return state("idle", object{"stopReason": "error", "error": wire})
}
