package transcript

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/tools"
)

// History is the session as the model sees it: a fold over its events.
type History struct {
	messages   []*entry
	byID       map[string]*entry
	calls      map[string]*entry // the message that each call is in
	sentStates map[string]string // change set → states of its hunks, as last sent to the model
	Left       Exclusions        // what is not sent to the model
	Plan       string            // path of the last approved plan
	Tasks      json.RawMessage   // the task list, see [Plan]
	outside    outside
}

// entry is a message that may still grow.
type entry struct {
	id      string
	role    model.Role
	parts   []piece
	steers  bool              // from the user, during the turn
	results map[string]result // of its calls
	after   []given           // added after the results
}

// result is the result of a call.
type result struct {
	model.Result

	file   string // that it is about, if any
	origin tools.Origin
}

// given describes text that was added to the conversation; the zero value is the
// conversation itself.
type given struct {
	kind, source string
	text         string       // of an addition after results
	origin       tools.Origin // empty: implied by the kind
}

// piece is a part with its index. A text grows until another part follows.
type piece struct {
	at   int
	part model.Part // nil for a growing text
	given
	lasts bool // sent once and not repeated, so it stays when its prompt is withdrawn
	text  *strings.Builder
	sig   []byte
	from  string // the issuer of sig
}

// NewHistory returns the history of a session without events.
func NewHistory() *History {
	return &History{byID: map[string]*entry{}, calls: map[string]*entry{}, sentStates: map[string]string{}, outside: newOutside()}
}

// Add applies one event.
func (h *History) Add(e Event) {
	h.outside.fold(e)
	switch e := e.(type) { //nolint:gochecksumtype // the other events do not concern the model
	case UserChunk:
		if e.Aside {
			return
		}
		m := h.entry(e.MessageID, model.User)
		m.steers = m.steers || e.Steer
		if p := e.Block.Part(); p != nil && !e.Expanded {
			m.parts = append(m.parts, piece{part: p})
		}
	case Given:
		maps.Copy(h.sentStates, e.Told)
		if m := h.byID[e.MessageID]; m != nil && m.role == model.Model {
			m.after = append(m.after, given{e.Kind, e.Source, e.Text, e.Origin})
			return
		}
		m := h.entry(e.MessageID, model.User)
		m.parts = append(m.parts, piece{part: model.Text{Text: e.Text, Given: e.Kind != KindCommand}, given: given{kind: e.Kind, source: e.Source, origin: e.Origin}, lasts: e.Kind != GivenLinked && e.Kind != KindHook && e.Kind != KindCommand})
		if len(e.Data) > 0 {
			m.parts = append(m.parts, piece{part: model.Blob{MIME: e.MIME, Data: e.Data}, given: given{kind: e.Kind, source: e.Source, origin: e.Origin}})
		}
	case Text:
		if !e.Aside {
			h.entry(e.MessageID, model.Model).addText(e)
		}
	case Reasoning:
		if len(e.Signature) > 0 {
			m := h.entry(e.MessageID, model.Model)
			m.parts = append(m.parts, piece{at: e.Part, part: model.Thought{Text: e.Text, Signature: e.Signature, Issuer: e.Issuer}})
		}
	case ToolCall:
		if e.Aside {
			return
		}
		m := h.entry(e.MessageID, model.Model)
		m.parts = append(m.parts, piece{at: e.Part, part: model.Call{ID: e.CallID, ProviderID: e.ProviderID, Name: e.Name, Args: e.Args, Signature: e.Signature, Issuer: e.Issuer}})
		slices.SortStableFunc(m.parts, func(a, b piece) int { return a.at - b.at })
		h.calls[e.CallID] = m
	case ToolUpdate:
		m := h.calls[e.CallID]
		if m == nil || !e.Over() {
			return
		}
		if e.ChangeSetID != "" {
			h.sentStates[e.ChangeSetID] = e.Told
		}
		if e.Plan != "" {
			h.Plan = e.Plan
		}
		r := result{Result: model.Result{CallID: e.CallID, Output: e.Output, Failed: e.State != Success}, origin: e.Origin}
		for _, b := range e.Blobs {
			r.Blobs = append(r.Blobs, model.Blob(b))
		}
		if len(e.Locations) == 1 {
			r.file = e.Locations[0].Path
		}
		m.results[e.CallID] = r
	case Plan:
		h.Tasks = e.Tasks
	case Shortened:
		h.shorten(e)
	case Retract:
		h.remove(e.MessageID)
	case Withdrawn:
		h.withdraw(e.MessageID)
	}
}

// withdraw removes a prompt. Additions that are not repeated, such as the
// environment, stay for the next prompt.
func (h *History) withdraw(id string) {
	m := h.byID[id]
	if m == nil {
		return
	}
	if at := slices.Index(h.messages, m) + 1; at < len(h.messages) && h.messages[at].role == model.Model && !h.messages[at].hasContent() {
		h.remove(h.messages[at].id) // it has only signatures
	}
	m.parts = slices.DeleteFunc(m.parts, func(p piece) bool { return !p.lasts })
	if len(m.parts) == 0 {
		h.remove(id)
	}
}

func (h *History) entry(id string, r model.Role) *entry {
	if m := h.byID[id]; m != nil {
		return m
	}
	m := &entry{id: id, role: r, results: map[string]result{}}
	h.messages, h.byID[id] = append(h.messages, m), m
	return m
}

func (h *History) remove(id string) {
	m := h.byID[id]
	if m == nil {
		return
	}
	delete(h.byID, id)
	h.messages = slices.DeleteFunc(h.messages, func(o *entry) bool { return o == m })
}

func (m *entry) addText(e Text) {
	if n := len(m.parts); n > 0 && m.parts[n-1].text != nil && m.parts[n-1].at == e.Part {
		m.parts[n-1].text.WriteString(e.Text)
		return
	}
	b := &strings.Builder{}
	b.WriteString(e.Text)
	m.parts = append(m.parts, piece{at: e.Part, text: b, sig: e.Signature, from: e.Issuer})
}

// hasContent reports whether the message has visible text or calls.
func (m *entry) hasContent() bool {
	return slices.ContainsFunc(m.parts, func(p piece) bool {
		_, thought := p.part.(model.Thought)
		return p.text == nil && !thought || p.text != nil && p.text.Len() > 0
	})
}

// model returns the message without excluded content.
func (m *entry) model(left Exclusions) model.Message {
	out := model.Message{ID: m.id, Role: m.role}
	for _, p := range m.parts {
		switch {
		case p.kind != "" && left.Excludes(p.kind, p.source):
		case p.text == nil:
			out.Parts = append(out.Parts, p.part)
		case p.text.Len() > 0 || p.sig != nil:
			out.Parts = append(out.Parts, model.Text{Text: p.text.String(), Signature: p.sig, Issuer: p.from})
		}
	}
	return out
}

// answers returns the user's message with the results of the model's calls. It has no
// parts if there are no calls.
func (m *entry) answers(left Exclusions) model.Message {
	out := model.Message{ID: m.id + "/results", Role: model.User}
	for _, p := range m.parts {
		c, ok := p.part.(model.Call)
		if !ok {
			continue
		}
		r, ok := m.results[c.ID]
		if !ok {
			r.Result = model.Result{CallID: c.ID, Output: interruptedResult, Failed: true}
		} else if r.file != "" && left.Excludes(kindToolResult, r.file) {
			r.Output, r.Blobs = leftOutResult, nil
		}
		r.ProviderID, r.Name = c.ProviderID, c.Name
		out.Parts = append(out.Parts, r.Result)
	}
	for _, a := range m.after {
		if !left.Excludes(a.kind, a.source) {
			out.Parts = append(out.Parts, model.Text{Text: a.text, Given: true})
		}
	}
	return out
}

// Request returns the history as providers accept it: roles alternate, the message
// after a call has its result, and no message is empty.
func (h *History) Request() []model.Message {
	var out []model.Message
	add := func(m model.Message, steers bool) {
		if len(m.Parts) == 0 {
			return
		}
		n := len(out)
		if n == 0 || out[n-1].Role != m.Role {
			out = append(out, m)
			return
		}
		if m.Role == model.User && !steers && answersCalls(out[n-1]) {
			// The next prompt is not part of the results.
			out = append(out, model.Message{ID: out[n-1].ID + filler, Role: model.Model, Parts: []model.Part{model.Text{Text: noAnswer}}}, m)
			return
		}
		out[n-1].Parts = slices.Concat(out[n-1].Parts, m.Parts)
	}
	for _, m := range h.messages {
		if m.role == model.Model && len(out) == 0 {
			continue // its prompt was withdrawn
		}
		add(m.model(h.Left), m.steers)
		if m.role == model.Model {
			add(m.answers(h.Left), false)
		}
	}
	return out
}

// filler ends the ID of a message of the model that it never wrote.
const filler = "/none"

// Filler reports whether a message of a request only keeps the roles apart.
func Filler(m model.Message) bool { return strings.HasSuffix(m.ID, filler) }

func answersCalls(m model.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p model.Part) bool { _, ok := p.(model.Result); return ok })
}

// Files returns the context files in the history.
func (h *History) Files() []string {
	var l []string
	for _, m := range h.messages {
		for _, a := range m.after {
			if a.kind == KindContextFile {
				l = append(l, a.source)
			}
		}
	}
	return l
}

// Environment returns all descriptions of the session's environment in the history.
func (h *History) Environment() string {
	var b strings.Builder
	for _, m := range h.messages {
		for _, p := range m.parts {
			if said, is := p.part.(model.Text); is && p.kind == KindEnvironment {
				b.WriteString(said.Text + "\n")
			}
		}
	}
	return b.String()
}

// Answered reports whether the model has responded since a prompt.
func (h *History) Answered(promptID string) bool {
	for i := len(h.messages) - 1; i >= 0 && h.messages[i].id != promptID; i-- {
		if h.messages[i].role == model.Model && h.messages[i].hasContent() {
			return true
		}
	}
	return false
}

// LastMessage returns the ID of the last message.
func (h *History) LastMessage() string { return h.messages[len(h.messages)-1].id }

// SentStates returns the states of a change set's hunks as last sent to the model,
// and false if they were never sent.
func (h *History) SentStates(changeSet string) (string, bool) {
	s, ok := h.sentStates[changeSet]
	return s, ok
}

// shorten applies a compaction. The environment stays with the summary.
func (h *History) shorten(e Shortened) {
	for _, id := range e.Bare {
		if m := h.byID[id]; m != nil {
			m.dropAttachments()
		}
	}
	for _, c := range e.Cuts {
		m := h.calls[c.CallID]
		if m == nil {
			continue
		}
		if r, ok := m.results[c.CallID]; ok {
			r.Output, r.Blobs = c.Output, nil
			m.results[c.CallID] = r
		}
	}
	at := len(h.messages)
	if e.From != "" {
		at = slices.IndexFunc(h.messages, func(m *entry) bool { return m.id == e.From })
	}
	if e.Summary == "" || at < 0 {
		return
	}
	sum := &entry{id: e.MessageID, role: model.User}
	for _, m := range h.messages[:at] {
		sum.parts = append(sum.parts, m.place()...)
		delete(h.byID, m.id)
	}
	sum.parts = append(sum.parts, piece{part: model.Text{Text: e.Summary, Given: true}, given: given{kind: kindSummary}, lasts: true})
	h.messages = append([]*entry{sum}, h.messages[at:]...)
	h.byID[sum.id] = sum
}

// place returns the pieces that describe the environment.
func (m *entry) place() []piece {
	var l []piece
	for _, p := range m.parts {
		if p.kind == KindEnvironment || p.kind == KindFolders {
			l = append(l, p)
		}
	}
	return l
}

// Preface returns the first parts of a compacted conversation.
func (h *History) Preface() []model.Part {
	var l []model.Part
	for _, m := range h.messages {
		for _, p := range m.place() {
			if !h.Left.Excludes(p.kind, p.source) {
				l = append(l, p.part)
			}
		}
	}
	return l
}

// Staying returns the ID of the first message among messages[at:] that is in the
// history, or "".
func (h *History) Staying(messages []model.Message, at int) string {
	for _, m := range messages[at:] {
		if h.byID[m.ID] != nil {
			return m.ID
		}
	}
	return ""
}
