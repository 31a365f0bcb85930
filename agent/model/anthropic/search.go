package anthropic

import (
	"cmp"
	"strings"

	anthropic "github.com/anthropics/anthropic-sdk-go"

	"github.com/emendo-dev/emendo/agent/model"
)

// maxResults bounds the results that are sources of an answer which cites none.
const maxResults = 20

// search collects which sources support which paragraphs of an answer.
type search struct {
	length   int             // of the text so far, in bytes
	text     strings.Builder // of the current block
	cites    []model.Citation
	sources  []model.Citation
	places   map[model.Citation]int // in sources
	passages []model.Passage
	results  []model.Citation
}

// found notes the results of a search.
func (s *search) found(b *anthropic.ContentBlockStartEventContentBlockUnion) {
	for _, r := range b.Content.OfWebSearchResultBlockArray {
		if r.URL != "" && len(s.results) < maxResults {
			s.results = append(s.results, model.Citation{Title: r.Title, URI: r.URL})
		}
	}
}

// wrote notes a piece of the answer's text.
func (s *search) wrote(text string) {
	s.length += len(text)
	s.text.WriteString(text)
}

// paragraph ends a block of text. One that cites is a passage.
func (s *search) paragraph() {
	p := model.Passage{End: s.length, Text: s.text.String()}
	for _, c := range s.cites {
		at, ok := s.places[c]
		if !ok {
			at = len(s.sources)
			s.places[c], s.sources = at, append(s.sources, c)
		}
		p.Sources = append(p.Sources, at)
	}
	if len(p.Sources) > 0 {
		s.passages = append(s.passages, p)
	}
	s.text.Reset()
	s.cites = nil
}

// grounding returns what was collected; nil if there are no sources.
func (s *search) grounding() *model.Grounding {
	if len(s.sources) > 0 {
		return &model.Grounding{Sources: s.sources, Passages: s.passages}
	}
	if len(s.results) > 0 {
		return &model.Grounding{Sources: s.results}
	}
	return nil
}

// cite yields a source unless an earlier event named it.
func (s *stream) cite(c *anthropic.CitationsDeltaCitationUnion) {
	cite := model.Citation{Title: c.Title, URI: cmp.Or(c.URL, c.Source)} // the latter of a search result
	if cite.URI != "" && s.search != nil {
		s.search.cites = append(s.search.cites, cite)
	}
	s.out.Send(model.Chunk{Citations: s.out.Cite(cite.Title, cite.URI)})
}
