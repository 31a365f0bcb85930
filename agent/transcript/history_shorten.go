package transcript

import (
	"slices"

	"github.com/emendo-dev/emendo/agent/model"
)

// shorten folds in that the conversation is shorter. Where and when it takes
// place stays with the summary.
func (h *History) shorten(e Shortened) {
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
	sum.parts = append(sum.parts, piece{part: model.Text{Text: e.Summary, Given: true}, given: given{kind: kindSummary}, told: true})
	h.messages = append([]*entry{sum}, h.messages[at:]...)
	h.byID[sum.id] = sum
}

// place are the pieces that say where and when the conversation takes place.
func (m *entry) place() []piece {
	var l []piece
	for _, p := range m.parts {
		if p.kind == KindEnvironment || p.kind == KindFolders {
			l = append(l, p)
		}
	}
	return l
}

// Preface is what a shortened conversation begins with.
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

// Staying is the id of the first message of the history from the at-th one of a
// request on; empty where there is none.
func (h *History) Staying(messages []model.Message, at int) string {
	for _, m := range messages[at:] {
		if h.byID[m.ID] != nil {
			return m.ID
		}
	}
	return ""
}
