package acp

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
)

// Nearest encodes an event as an update that a client with these abilities knows. What
// the client did not declare becomes the nearest kind of the protocol, with the update
// as it is in the _meta of that. It reports false for an event that such a client is not
// sent: one of emendo's own kinds that has none.
func Nearest(e transcript.Event, can Abilities) (json.RawMessage, bool) {
	switch e := e.(type) { //nolint:gochecksumtype // every client knows the others
	case transcript.Notice:
		if !can.Notices {
			return nearestChunk("agent_thought_chunk", paragraph(noticeText(e)), "", e), true
		}
	case transcript.Compaction:
		if !can.Compactions {
			return nearestChunk("agent_thought_chunk", paragraph(compactionText(e)), e.ID, e), true
		}
	case transcript.Retract:
		return nearestChunk("agent_message_chunk", paragraph("(The answer begins again.)"), e.MessageID, e), true
	}
	update := Update(e)
	if bytes.HasPrefix(update, []byte(ownUpdate)) {
		return nil, false
	}
	return update, true
}

// ownUpdate is how an update of one of emendo's own kinds begins: the kind comes first.
const ownUpdate = `{"sessionUpdate":"_emendo/`

func nearestChunk(kind, text, messageID string, e transcript.Event) json.RawMessage {
	return encode(struct {
		Kind      string `json:"sessionUpdate"`
		Content   block  `json:"content"`
		MessageID string `json:"messageId,omitempty"`
		Meta      meta   `json:"_meta"`
	}{kind, textBlock(text), messageID, meta{Update(e)}})
}

// paragraph sets a text apart from what a client shows before and after it.
func paragraph(text string) string { return "\n\n" + text + "\n\n" }

func noticeText(e transcript.Notice) string {
	if e.Description == "" {
		return e.Title
	}
	return strings.TrimSuffix(e.Title, ".") + ": " + e.Description
}

func compactionText(e transcript.Compaction) string {
	switch e.Status {
	case "in_progress":
		return "The conversation is being compacted."
	case "completed":
		return "The conversation was compacted."
	}
	return "The conversation was not compacted."
}
