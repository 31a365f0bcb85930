package textcall

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// maxHeld bounds the text of an answer that is held back, in bytes.
const maxHeld = 16 << 20

// splitter passes the text of an answer on, up to the first line that begins with a marker,
// and holds back the rest.
type splitter struct {
	markers []string
	spaces  string // that may be before a marker
	objects bool   // an answer that begins with a brace is held back too

	line   string // the current line, while it may begin with a marker
	inLine bool   // it does not begin with one
	spoken bool   // text was passed on
	holds  bool
	held   strings.Builder
}

// split takes the text that is held back out of a chunk.
func (s *splitter) split(c *model.Chunk) error {
	var parts []model.Part
	for _, p := range c.Parts {
		t, ok := p.(model.Text)
		if t.Text = s.beforeMarker(t.Text); !ok {
			parts = append(parts, p)
		} else if t.Text != "" || t.Signature != nil {
			parts = append(parts, t)
		}
	}
	c.Parts = parts
	if s.held.Len() > maxHeld {
		return &model.Error{Kind: model.Invalid, Message: fmt.Sprintf("a call in the model's answer exceeds %d MiB", maxHeld>>20)}
	}
	return nil
}

// beforeMarker takes the next piece of the text, and returns what is certain to be before a marker.
func (s *splitter) beforeMarker(text string) string {
	if s.holds {
		s.held.WriteString(text)
		return ""
	}
	var out strings.Builder
	s.line += text
	for s.line != "" {
		if s.inLine {
			end := strings.IndexByte(s.line, '\n') + 1
			if s.inLine = end == 0; s.inLine {
				end = len(s.line)
			}
			out.WriteString(s.line[:end])
			s.line = s.line[end:]
			continue
		}
		begin := strings.TrimLeft(s.line, s.spaces)
		switch {
		case begin == "", slices.ContainsFunc(s.markers, func(m string) bool { return len(begin) < len(m) && strings.HasPrefix(m, begin) }):
			return out.String()
		case slices.ContainsFunc(s.markers, func(m string) bool { return strings.HasPrefix(begin, m) }), s.objects && begin[0] == '{' && !s.spoken:
			if s.spoken {
				out.WriteString(strings.TrimSuffix(s.line, begin))
				s.line = begin
			}
			s.held.WriteString(s.line)
			s.line, s.holds = "", true
			return out.String()
		}
		s.inLine, s.spoken = true, true
	}
	return out.String()
}

// remainder returns the text that was not passed on, and whether it begins with a marker.
func (s *splitter) remainder() (text string, holds bool) { return s.line + s.held.String(), s.holds }
