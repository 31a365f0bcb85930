package transcript

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// WithoutAttachment is the text in the place of an attachment that the provider refused.
func WithoutAttachment(b model.Blob) string {
	return fmt.Sprintf("[an attachment of the type %s is left out: the provider refused it]", b.MIME)
}

// ofAttachment matches what providers say about attachments that they refuse.
const ofAttachment = `(?i)image|picture|pdf|document|media|mime|attachment|multi-?modal|\bfile\b|vision|base64|audio|video`

// NamesAttachment reports whether a provider's message blames an attachment.
func NamesAttachment(message string) bool {
	return regexp.MustCompile(ofAttachment).MatchString(message)
}

// WithoutRefused returns the messages of a refused request without the attachments that
// may be the reason: those since the model's last answer or, if there are none and the
// provider's message names them, all. It reports false if there is nothing to leave out.
func WithoutRefused(messages []model.Message, message string) ([]model.Message, bool) {
	from := 0
	for i, m := range messages {
		if m.Role == model.Model {
			from = i + 1
		}
	}
	if !attached(messages[from:]) {
		if from = 0; !NamesAttachment(message) || !attached(messages) {
			return nil, false
		}
	}
	return slices.Concat(messages[:from], model.WithoutBlobs(messages[from:], WithoutAttachment)), true
}

// attached reports whether messages have attachments.
func attached(messages []model.Message) bool {
	for range model.Blobs(messages) {
		return true
	}
	return false
}

// Attached returns the IDs of the messages that have attachments: of all, or of those
// that the model has not answered yet.
func (h *History) Attached(all bool) (ids []string) {
	from := 0
	for i, m := range h.messages {
		if m.role == model.Model && !all {
			from = i
		}
	}
	for _, m := range h.messages[from:] {
		has := slices.ContainsFunc(m.parts, func(p piece) bool { _, ok := p.part.(model.Blob); return ok && m.role == model.User })
		for _, r := range m.results {
			has = has || len(r.Blobs) > 0
		}
		if has {
			ids = append(ids, m.id)
		}
	}
	return ids
}

// dropAttachments takes the attachments of a message out.
func (m *entry) dropAttachments() {
	for i, p := range m.parts {
		if b, ok := p.part.(model.Blob); ok {
			m.parts[i].part = model.Text{Text: WithoutAttachment(b), Given: true}
		}
	}
	for id, r := range m.results {
		for _, b := range r.Blobs {
			r.Output = strings.TrimPrefix(r.Output+"\n\n"+WithoutAttachment(b), "\n\n")
		}
		r.Blobs = nil
		m.results[id] = r
	}
}

// Called reports whether a tool was called in the session.
func (h *History) Called(tool string) bool {
	return slices.Contains(slices.Collect(maps.Values(h.outside.calls)), tool)
}
