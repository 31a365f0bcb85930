package search

import (
	"bytes"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/visible"
)

// With [Search.AutoContext], a search with few matches shows the lines around
// them, so that the caller need not ask again. The figures are Gemini CLI's.
const (
	fewMatches = 3
	contextOne = 50 // lines before and after a single match
	contextFew = 15 // lines before and after each of a few
)

// Lines longer than longLine are cut to a window around their match.
const (
	longLine   = 2000 // characters
	windowSize = 500
	windowLead = 100 // before the match
)

// FileMatches are the matches in one file.
type FileMatches struct {
	Path  disk.Path
	Lines []Line // none with [Search.NamesOnly]
	hits  []hit
	data  []byte // kept while context may still be added
}

// A Line is a matching line or one of its context.
type Line struct {
	Number int
	Text   string
	Match  bool
	Gap    bool // lines are left out before it
}

// extract extracts the lines to report from the text of a file.
func (s *Search) extract(f File, data []byte, hits []hit) FileMatches {
	m := FileMatches{Path: f.Path, hits: hits}
	if s.NamesOnly {
		return m
	}
	m.Lines = passage(data, hits, s.Before, s.After)
	if s.AutoContext && len(hits) <= fewMatches {
		m.data = bytes.Clone(data) // the buffer is used for the next file
	}
	return m
}

// passage returns the matches with the lines around them.
func passage(data []byte, hits []hit, before, after int) []Line {
	var l []Line
	last := 0 // the number of the last line in l
	put := func(number, start, end int, h *hit) {
		at := 0
		if h != nil {
			at = h.at
		} else if end > start && data[end-1] == '\r' {
			end--
		}
		l = append(l, Line{number, window(string(data[start:end]), at), h != nil, last > 0 && number > last+1})
		last = number
	}
	for i := range hits {
		h := &hits[i]
		start, number := h.start, h.line
		for number > max(h.line-before, last+1) {
			start = bytes.LastIndexByte(data[:start-1], '\n') + 1
			number--
		}
		for ; number < h.line; number++ {
			end := indexFrom(data, '\n', start)
			put(number, start, end, nil)
			start = end + 1
		}
		put(h.line, h.start, h.end, h)
		stop := h.line + after
		if i+1 < len(hits) {
			stop = min(stop, hits[i+1].line-1)
		}
		start = indexFrom(data, '\n', h.end) + 1
		for number = h.line + 1; number <= stop && start < len(data); number++ {
			end := indexFrom(data, '\n', start)
			put(number, start, end, nil)
			start = end + 1
		}
	}
	return l
}

// window cuts a long line to the part around its byte at.
func window(line string, at int) string {
	if len(line) <= longLine || utf8.RuneCountInString(line) <= longLine {
		return line
	}
	for range windowLead {
		_, size := utf8.DecodeLastRuneInString(line[:at])
		at -= size
	}
	part, _ := visible.Clip(line[at:], windowSize)
	if at > 0 {
		part = "[truncated] ..." + part
	}
	return part
}

// trim drops the matches beyond the limit: the last file may have more than are
// left.
func (s *Search) trim(r *Report) {
	left := s.Total
	for i := range r.Files {
		m := &r.Files[i]
		if len(m.hits) > left {
			m.hits = m.hits[:left]
			m.Lines = linesUpTo(m.Lines, left, s.After)
		}
		if left -= len(m.hits); left == 0 {
			r.Files = r.Files[:i+1]
			break
		}
	}
	r.Matches = s.Total - left
}

// linesUpTo returns the lines up to the nth match and its context after it.
func linesUpTo(l []Line, n, after int) []Line {
	for i := range l {
		if !l[i].Match {
			continue
		}
		if n--; n > 0 {
			continue
		}
		end := i + 1
		for end < len(l) && !l[end].Match && !l[end].Gap && end-i <= after {
			end++
		}
		return l[:end]
	}
	return l
}

// widen adds context to a few matches.
func (s *Search) widen(r *Report) {
	if !s.AutoContext || r.Matches > fewMatches {
		return
	}
	n := contextFew
	if r.Matches == 1 {
		n = contextOne
	}
	for i := range r.Files {
		if m := &r.Files[i]; m.data != nil {
			m.Lines = passage(m.data, m.hits, n, n)
		}
	}
}
