package sessiontest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/lsp/lsptest"
)

// update has the fields of emendo/session/update that are checked.
type update struct {
	Replay bool
	Update struct {
		Kind        string          `json:"sessionUpdate"`
		Content     json.RawMessage `json:"content"` // a block, or a list of a call's contents
		MessageID   string          `json:"messageId"`
		CallID      string          `json:"toolCallId"`
		Title       string          `json:"title"`
		Name        string          `json:"name"`
		Severity    string          `json:"severity"`
		Description string          `json:"description"`
		StopReason  string          `json:"stopReason"`
		Reason      string          `json:"reason"`
		Status      string          `json:"status"`
		Used        int64           `json:"used"`
		Size        int64           `json:"size"`
		Mode        string          `json:"currentModeId"`
		Entries     []struct {
			Content string `json:"content"`
			Status  string `json:"status"`
		} `json:"entries"`
		RawInput json.RawMessage `json:"rawInput"`
		Meta     struct {
			Emendo struct {
				State        string `json:"state"`
				ErrorType    string `json:"errorType"`
				Code         string `json:"code"`
				RetryAfterMS *int64 `json:"retryAfterMs"`
				Subject      string `json:"subject"`
				Summary      string `json:"summary"`
			} `json:"emendo"`
		} `json:"_meta"`
	}
}

func readUpdate(x lsptest.Update) (u update, err error) {
	u.Replay = x.Replay
	err = json.Unmarshal(x.Update, &u.Update)
	return u, err
}

// contentOf returns the text of a content block, or of what a call shows: its
// texts, and the files of its diffs.
func contentOf(raw json.RawMessage) string {
	type content struct {
		Type    string          `json:"type"`
		Text    string          `json:"text"`
		Path    string          `json:"path"`
		URI     string          `json:"uri"`
		Content json.RawMessage `json:"content"`
	}
	var one content
	if json.Unmarshal(raw, &one) == nil {
		switch one.Type {
		case "text":
			return one.Text
		case "diff":
			return "diff of " + one.Path
		case "content":
			return contentOf(one.Content)
		}
		return one.Type + " " + one.URI
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return ""
	}
	var texts []string
	for _, c := range list {
		texts = append(texts, contentOf(c))
	}
	return strings.Join(texts, "\n")
}

// teller describes the updates of a session for people, without what differs
// between runs: ids, times, and the borders of chunks.
type teller struct {
	named func(string) string // a text without what differs between machines
	calls []string            // IDs, in the order of updates
	texts map[string]string   // message → what was shown of it
	open  string              // the message and kind whose line may continue
	lines []string
}

func (t *teller) line(format string, a ...any) {
	t.open = ""
	t.lines = append(t.lines, strings.TrimRight(fmt.Sprintf(format, a...), " "))
}

// chunk continues the line of its message.
func (t *teller) chunk(who, id, text string) {
	if t.texts == nil {
		t.texts = map[string]string{}
	}
	t.texts[id] += text
	if key := who + id; key != t.open {
		t.line("%s: ", who)
		t.lines[len(t.lines)-1] += " "
		t.open = key
	}
	t.lines[len(t.lines)-1] += text
}

// body adds text that belongs to the previous line.
func (t *teller) body(text string) {
	if text != "" {
		t.lines = append(t.lines, "    "+strings.ReplaceAll(strings.TrimRight(brief(t.named(text)), "\n"), "\n", "\n    "))
	}
}

func (t *teller) call(id string) int {
	i := slices.Index(t.calls, id)
	if i < 0 {
		i = len(t.calls)
		t.calls = append(t.calls, id)
	}
	return i + 1
}

func (t *teller) tell(u update) {
	x, m := u.Update, u.Update.Meta.Emendo
	was := ""
	if u.Replay {
		was = "again, "
	}
	switch x.Kind {
	case "user_message_chunk":
		t.chunk(was+"user", x.MessageID, contentOf(x.Content))
	case "agent_message_chunk":
		t.chunk(was+"model", x.MessageID, contentOf(x.Content))
	case "agent_thought_chunk":
		who := was + "model thinks"
		if m.Subject != "" {
			who += " of " + m.Subject
		}
		t.chunk(who, x.MessageID, contentOf(x.Content))
	case "tool_call":
		t.line("%scall %d: %s %s", was, t.call(x.CallID), x.Name, x.RawInput)
	case "tool_call_update":
		state := m.State
		if m.ErrorType != "" {
			state += " " + m.ErrorType
		}
		t.line("%scall %d: %s, %s", was, t.call(x.CallID), state, x.Title)
		t.body(contentOf(x.Content))
	case "notice":
		after := ""
		if m.RetryAfterMS != nil {
			after = fmt.Sprintf(" after %d ms", *m.RetryAfterMS)
		}
		t.line("%snotice %s%s, %s: %s", was, m.Code, after, x.Severity, x.Title)
		t.body(x.Description)
	case "_emendo/retract":
		t.line("%sretract: %s", was, t.texts[x.MessageID])
	case "_emendo/response_finished":
		t.line("%sresponse: %s", was, x.Reason)
	case "_emendo/turn_ended":
		t.line("%sturn: %s", was, x.StopReason)
	case "usage_update":
		if x.Used > 0 {
			t.line("%susage: %d of %d", was, x.Used, x.Size)
		}
	case "compaction_update":
		t.line("%scompaction: %s", was, x.Status)
	case "current_mode_update":
		t.line("%smode: %s", was, x.Mode)
	case "plan":
		t.line("%splan:", was)
		for _, e := range x.Entries {
			t.body(e.Status + ": " + e.Content)
		}
	case "session_info_update":
		t.line("%stitle: %s", was, x.Title)
	default:
		t.line("%s%s", was, x.Kind)
	}
}

// take returns what was recorded since the last time.
func (t *teller) take() string {
	for i, l := range t.lines {
		t.lines[i] = brief(t.named(l))
	}
	text := strings.Join(t.lines, "\n")
	t.lines, t.open = nil, ""
	return text
}
