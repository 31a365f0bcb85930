package transcript

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/geminichat"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/tools"
)

// Import has the data that an imported conversation lacks.
type Import struct {
	Cwd   string // the session's folder: absolute, links resolved
	Model string // if no answer names one
	Now   time.Time
	NewID func() string // nil means random IDs
}

// ErrNoSession means that a conversation cannot be continued as a session.
var ErrNoSession = errors.New("no conversation to import")

// Import stores a conversation of Gemini CLI as a session with the same ID. It leaves a
// session that is already stored unchanged and returns added as false.
func (st *Store) Import(c geminichat.Chat, im Import) (info SessionInfo, added bool, err error) {
	id := importedID(c.SessionID)
	if c.Kind == "subagent" {
		return SessionInfo{}, false, fmt.Errorf("%s is the conversation of a subagent: %w", id, ErrNoSession)
	}
	switch info, _, err := st.Read(id); {
	case err == nil:
		return info, false, nil
	case !errors.Is(err, ErrUnknownSession):
		return SessionInfo{}, false, err
	}
	if im.NewID == nil {
		im.NewID = RandomID
	}
	start := Started{
		SessionID: id, Cwd: im.Cwd, Roots: []string{im.Cwd}, CreatedAt: c.StartTime.UTC().Truncate(time.Millisecond),
		Model: cmp.Or(lastModel(c), im.Model), Mode: policy.Default, ImportedAt: im.Now.UTC().Truncate(time.Millisecond),
	}
	if c.StartTime.IsZero() {
		start.CreatedAt = start.ImportedAt
	}
	b := importer{with: im, at: start.CreatedAt, calls: callsOf(c)}
	b.add(start)
	b.title(c)
	b.chat(c)
	if !b.said {
		return SessionInfo{}, false, fmt.Errorf("%s has no prompt: %w", id, ErrNoSession)
	}
	info = infoOf(b.records)
	b.add(info.ToSummary())
	if err := st.save(start, b.records); err != nil {
		return SessionInfo{}, false, fmt.Errorf("import session %s: %w", id, err)
	}
	return info, true, nil
}

var noID = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// importedID returns a valid session ID for that of an imported session.
func importedID(id string) string {
	id = noID.ReplaceAllString(id, "_")
	return id[:min(len(id), 64)]
}

func lastModel(c geminichat.Chat) (name string) {
	for _, m := range c.Messages {
		name = cmp.Or(m.Model, name)
	}
	return name
}

// title names the session by its summary or its first prompt.
func (b *importer) title(c geminichat.Chat) {
	title := CleanTitle(c.Summary, GivenTitle)
	for _, m := range c.Messages {
		if text := m.Content.Text(); title == "" && m.Type == "user" && !ignored(text) {
			title = TitleOf([]Block{{Type: TextBlock, Text: text}})
		}
	}
	if title != "" {
		b.add(InfoChanged{Title: title, At: b.at})
	}
}

// ignored reports whether a user's text is not a prompt but a command of Gemini CLI, or
// context that it adds itself.
func ignored(text string) bool {
	text = strings.TrimSpace(text)
	for _, begin := range []string{"/", "?", "<session_context>", "<hook_context>"} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}

// importer converts a conversation to the records of a session. A conversation may have
// the result of a tool up to three times and far from its call; the session has it once,
// right after the call.
type importer struct {
	with    Import
	calls   map[string]*importedCall
	records []Record

	at      time.Time // of the next record
	seq     int64
	turn    string // empty before the first prompt
	message string // the model's message that calls are added to; may be empty
	parts   int    // of that message
	said    bool
	usage   model.Usage // of the session
	ofTurn  model.Usage
}

// importedCall is a call with everything that the conversation has about it.
type importedCall struct {
	geminichat.Call
	signature []byte
	answers   bool // the result is in a user's message; the call goes before it
	placed    bool
}

// callsOf collects the calls of a conversation by ID.
func callsOf(c geminichat.Chat) map[string]*importedCall {
	const unnamed = "unknown_tool" // a result without its call may have no name
	all := map[string]*importedCall{}
	the := func(id string) *importedCall {
		if all[id] == nil {
			all[id] = &importedCall{}
			all[id].ID = id
		}
		return all[id]
	}
	for _, m := range c.Messages {
		for _, t := range m.ToolCalls {
			x := the(t.ID)
			x.Call, x.Result = t, append(t.Result, x.Result...)
		}
		for _, p := range m.Content {
			if f := p.FunctionCall; f != nil {
				x := the(f.ID)
				x.Name, x.Args = cmp.Or(x.Name, f.Name), json.RawMessage(cmp.Or(string(x.Args), string(f.Args)))
				x.signature = signature(p)
			}
			if f := p.FunctionResponse; f != nil {
				x := the(f.ID)
				x.Name, x.answers = cmp.Or(x.Name, f.Name, unnamed), true
				x.Result = append(x.Result, p)
				x.Status = cmp.Or(x.Status, "success")
			}
		}
	}
	return all
}

func signature(p geminichat.Part) []byte {
	b, err := base64.StdEncoding.DecodeString(p.ThoughtSignature)
	if err != nil { // a placeholder
		return nil
	}
	return b
}

// add adds an event at the current time.
func (b *importer) add(e Event) {
	r := Record{At: b.at, Turn: b.turn, Event: e}
	if Shown(e) {
		b.seq++
		r.Seq = b.seq
	}
	b.records = append(b.records, r)
}

func (b *importer) chat(c geminichat.Chat) {
	for _, m := range c.Messages {
		if !m.Timestamp.IsZero() {
			b.at = m.Timestamp.UTC().Truncate(time.Millisecond)
		}
		switch m.Type {
		case "user":
			b.user(m)
		case "gemini":
			b.gemini(m)
		case "error":
			b.notice(Error, m)
		case "warning":
			b.notice(Warning, m)
		default: // messages for the user of Gemini CLI
		}
	}
	b.endTurn()
}

// notice adds an error or a warning of a turn for the user.
func (b *importer) notice(s Severity, m geminichat.Message) {
	if text := strings.TrimSpace(m.Content.Text()); text != "" && b.turn != "" {
		b.add(Notice{Severity: s, Code: NoticeError, Title: "Message from Gemini CLI", Description: BoundDisplay(text)})
	}
}

// user adds a prompt or the results of calls.
func (b *importer) user(m geminichat.Message) {
	var ids []string
	for _, p := range m.Content {
		if p.FunctionResponse != nil {
			ids = append(ids, p.FunctionResponse.ID)
		}
	}
	b.place(m.ID, ids)
	text := m.Content.Text()
	blocks := blocksOf(m.Content)
	if len(blocks) == 0 || ignored(text) {
		return
	}
	if len(ids) > 0 && b.turn != "" { // steered the turn
		for _, x := range blocks {
			b.add(UserChunk{MessageID: m.ID, Block: x, Steer: true})
		}
		b.message = ""
		return
	}
	b.endTurn()
	first := !b.said
	b.turn, b.said = b.with.NewID(), true
	if first {
		b.add(Given{MessageID: m.ID, Kind: "environment", Text: Enclose("session_context", fmt.Sprintf(
			"This conversation began in Gemini CLI on %s. Files may have changed since.\n", b.at.Format("Monday, 2 January 2006")))})
	}
	for _, x := range blocks {
		b.add(UserChunk{MessageID: m.ID, Block: x})
	}
}

func blocksOf(c geminichat.Content) (blocks []Block) {
	for _, p := range c {
		switch {
		case p.Thought:
		case p.Text != "":
			blocks = append(blocks, Block{Type: TextBlock, Text: p.Text})
		case p.InlineData != nil && strings.HasPrefix(p.InlineData.MIMEType, "image/"):
			blocks = append(blocks, Block{Type: ImageBlock, MIME: p.InlineData.MIMEType, Data: p.InlineData.Data})
		case p.InlineData != nil:
			blocks = append(blocks, Block{Type: ResourceBlock, MIME: p.InlineData.MIMEType, Data: p.InlineData.Data})
		}
	}
	return blocks
}

// gemini adds a response of the model and those of its calls whose results are not
// in a user's message.
func (b *importer) gemini(m geminichat.Message) {
	if b.turn == "" {
		return // there is no prompt
	}
	b.message, b.parts = m.ID, 0
	for _, t := range m.Thoughts {
		b.add(Thought{MessageID: m.ID, Subject: t.Subject, Text: t.Description})
	}
	var ids []string
	for _, p := range m.Content {
		switch {
		case p.FunctionCall != nil:
			ids = append(ids, p.FunctionCall.ID)
		case p.Thought && len(m.Thoughts) == 0:
			subject, text := SplitThought(p.Text)
			b.add(Thought{MessageID: m.ID, Subject: subject, Text: text})
		case p.Text != "" && !p.Thought:
			b.add(Text{MessageID: m.ID, Part: b.parts, Text: p.Text, Signature: signature(p)})
			b.parts++
		}
	}
	if t := m.Tokens; t != nil {
		u := model.Usage{Input: t.Input, Output: t.Output, Cached: t.Cached, Thought: t.Thoughts, Tool: t.Tool, Total: t.Total}
		b.usage, b.ofTurn = b.usage.Add(u), b.ofTurn.Add(u)
		limit := catalogue.ContextLimit(m.Model)
		b.add(UsageUpdated{Used: u.Input + u.Output + u.Thought, Size: limit, Usage: Usage{b.usage, limit}})
	}
	for _, t := range m.ToolCalls {
		ids = append(ids, t.ID)
	}
	b.place(m.ID, slices.DeleteFunc(ids, func(id string) bool { return b.calls[id].answers }))
}

// place adds the calls that were not added yet, with their results: to the model's
// last message, or, if results follow it already, to a new message.
func (b *importer) place(messageID string, all []string) {
	var ids []string
	for _, id := range all {
		if !b.calls[id].placed && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 || b.turn == "" {
		return
	}
	if b.message == "" {
		b.message, b.parts = messageID+"-calls", 0
	}
	for _, id := range ids {
		c := b.calls[id]
		c.placed = true
		c.Args, _ = CallArgs(c.Args)
		title := strings.TrimSpace(cmp.Or(c.DisplayName, c.Name) + " " + c.Description)
		b.add(ToolCall{MessageID: b.message, Part: b.parts, CallID: id, ProviderID: id, Name: c.Name, Args: c.Args, Signature: c.signature, Title: CleanTitle(title, GivenTitle)})
		b.parts++
	}
	for _, id := range ids {
		b.add(b.calls[id].outcome())
	}
	b.message = ""
}

// outcome returns the final update of a call.
func (c *importedCall) outcome() ToolUpdate {
	u := ToolUpdate{CallID: c.ID, State: Success}
	for _, p := range c.Result {
		if p.FunctionResponse == nil {
			u.Output = cmp.Or(u.Output, p.Text)
			continue
		}
		text, failed := answerOf(p.FunctionResponse.Response)
		u.Output = text
		if failed && (c.Status == "" || c.Status == "success") {
			c.Status = "error"
		}
		u.Blobs = blobsOf(p.FunctionResponse.Parts)
		break // the others repeat it
	}
	if u.Blobs == nil {
		u.Blobs = blobsOf(c.Result)
	}
	switch c.Status {
	case "success":
	case "error":
		u.State, u.ErrorType = Failure, tools.Unhandled
	default:
		u.State, u.ErrorType = Cancelled, tools.Cancelled
		u.Output = cmp.Or(u.Output, interruptedResult)
	}
	u.Output = BoundDisplay(u.Output)
	var display string
	if json.Unmarshal(c.ResultDisplay, &display) == nil {
		u.Display = BoundDisplay(display)
	}
	return u
}

// answerOf returns the text of a tool's response for the model.
func answerOf(response json.RawMessage) (text string, failed bool) {
	var r struct{ Output, Error *string }
	switch err := json.Unmarshal(response, &r); {
	case err == nil && r.Output != nil:
		return *r.Output, false
	case err == nil && r.Error != nil:
		return *r.Error, true
	case bytes.Equal(bytes.TrimSpace(response), []byte("null")):
		return "", false
	}
	return string(response), false
}

func blobsOf(ps []geminichat.Part) (blobs []tools.Blob) {
	for _, p := range ps {
		if p.InlineData != nil && len(p.InlineData.Data) > 0 && p.InlineData.MIMEType != "" {
			blobs = append(blobs, tools.Blob{MIME: p.InlineData.MIMEType, Data: p.InlineData.Data})
		}
	}
	return blobs
}

// endTurn ends the current turn, if any.
func (b *importer) endTurn() {
	if b.turn == "" {
		return
	}
	b.add(TurnEnded{StopReason: EndTurn, Usage: Usage{b.ofTurn, 0}})
	b.turn, b.message, b.ofTurn = "", "", model.Usage{}
}
