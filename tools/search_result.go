package tools

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"
)

// When a search finds few lines, it shows what is around them, so that the
// model need not ask again; the figures are Gemini CLI's.
const (
	autoMatches = 3  // at most so many
	autoOne     = 50 // lines before and after a single match
	autoFew     = 15 // lines before and after one of a few
)

// How a line that is longer than can be shown is shown: the place of its match
// with something before it.
const (
	longLine   = 2000 // characters
	windowSize = 500
	windowLead = 100
)

// fileMatches is what was found in one file.
type fileMatches struct {
	path  string // as the model reads it
	hits  []hit
	lines []passageLine
	data  []byte // kept while all that is around may be shown
}

// passageLine is one line that is shown.
type passageLine struct {
	number int
	text   string
	match  bool
	gap    bool // lines are left out before it
}

// keep takes from a file's text what may be shown.
func (s *search) keep(f swept, data []byte, hits []hit) fileMatches {
	m := fileMatches{path: near(s.env, f.path.Abs), hits: hits}
	if s.names {
		return m
	}
	m.lines = s.passage(data, hits, s.before, s.after)
	if !s.around && len(hits) <= autoMatches {
		m.data = bytes.Clone(data) // the next file may be read over it
	}
	return m
}

// passage is the matches with the lines around them.
func (s *search) passage(data []byte, hits []hit, before, after int) []passageLine {
	var l []passageLine
	last := 0 // the number of the last line in l
	put := func(number, start, end int, h *hit) {
		at := 0
		if h != nil {
			at = h.at
		} else if end > start && data[end-1] == '\r' {
			end--
		}
		l = append(l, passageLine{number, window(string(data[start:end]), at), h != nil, last > 0 && number > last+1})
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
			end := seek(data, '\n', start)
			put(number, start, end, nil)
			start = end + 1
		}
		put(h.line, h.start, h.end, h)
		stop := h.line + after
		if i+1 < len(hits) {
			stop = min(stop, hits[i+1].line-1)
		}
		start = seek(data, '\n', h.end) + 1
		for number = h.line + 1; number <= stop && start < len(data); number++ {
			end := seek(data, '\n', start)
			put(number, start, end, nil)
			start = end + 1
		}
	}
	return l
}

// window cuts a long line to what is around its byte at.
func window(line string, at int) string {
	if len(line) <= longLine || utf8.RuneCountInString(line) <= longLine {
		return line
	}
	for range windowLead {
		_, size := utf8.DecodeLastRuneInString(line[:at])
		at -= size
	}
	part, _ := clip(line[at:], windowSize)
	if at > 0 {
		part = "[truncated] ..." + part
	}
	return part
}

// result writes the report for the model.
func (s *search) result(r report) Result {
	slices.Sort(r.large)
	slices.Sort(r.secret)
	if len(r.found) == 0 {
		return Result{
			Output:  fmt.Sprintf("No line matches %s in %s.\n%s", Shown(s.asked), s.where(), s.missing(r)),
			Summary: "No matches found",
		}
	}
	s.trim(&r)
	files := count(len(r.found), "file", "files")
	var out lines
	if s.names {
		for _, m := range r.found {
			out.add(Shown(m.path))
		}
		return Result{
			Output:  fmt.Sprintf("Found %s with a line that matches %s in %s%s:\n%s%s", files, Shown(s.asked), s.where(), limited(r), out.s.String(), s.missing(r)+cutShort(out)),
			Summary: "Found " + files,
		}
	}
	s.widen(&r)
	out.add("---")
	for _, m := range r.found {
		if !out.add("File: " + Shown(m.path)) {
			break
		}
		for _, l := range m.lines {
			mark := "-"
			if l.match {
				mark = ":"
			}
			line := fmt.Sprintf("L%d%s %s", l.number, mark, l.text)
			if l.gap {
				line = "--\n" + line
			}
			if !out.add(line) {
				break
			}
		}
		out.add("---")
	}
	matches := count(r.matches, "match", "matches")
	return Result{
		Output:  fmt.Sprintf("Found %s for %s in %s in %s%s:\n%s%s", matches, Shown(s.asked), files, s.where(), limited(r), out.s.String(), s.missing(r)+cutShort(out)),
		Summary: fmt.Sprintf("%s in %s", matches, files),
	}
}

// trim leaves off what is more than was asked for: the last file may hold
// more matches than are left.
func (s *search) trim(r *report) {
	left := s.total
	for i := range r.found {
		m := &r.found[i]
		if len(m.hits) > left {
			m.hits = m.hits[:left]
			m.lines = upTo(m.lines, left, s.after)
		}
		if left -= len(m.hits); left == 0 {
			r.found = r.found[:i+1]
			break
		}
	}
	r.matches = s.total - left
}

// upTo is the lines up to the nth match, with so many after it.
func upTo(l []passageLine, n, after int) []passageLine {
	for i := range l {
		if !l[i].match {
			continue
		}
		if n--; n > 0 {
			continue
		}
		end := i + 1
		for end < len(l) && !l[end].match && !l[end].gap && end-i <= after {
			end++
		}
		return l[:end]
	}
	return l
}

// widen shows more around a few matches.
func (s *search) widen(r *report) {
	if s.around || r.matches > autoMatches {
		return
	}
	n := autoFew
	if r.matches == 1 {
		n = autoOne
	}
	for i := range r.found {
		if m := &r.found[i]; m.data != nil {
			m.lines = s.passage(m.data, m.hits, n, n)
		}
	}
}

func (s *search) where() string {
	if s.file != nil {
		return Shown(near(s.env, s.file.path.Abs))
	}
	if len(s.dirs) > 1 {
		return "the workspace"
	}
	return Shown(s.dirs[0].Abs)
}

func limited(r report) string {
	if r.full {
		return " (the limit; there may be more)"
	}
	return ""
}

func cutShort(out lines) string {
	if !out.full {
		return ""
	}
	return "(The rest does not fit: narrow the pattern, dir_path or include_pattern, or set names_only or less context.)\n"
}

// missing tells of what was not searched.
func (s *search) missing(r report) string {
	var gaps []string
	if r.stopped {
		gaps = append(gaps, fmt.Sprintf("the search stopped after %v; narrow dir_path or include_pattern", s.timeout))
	}
	if s.include.pattern != "" && r.taken == 0 && !r.stopped && s.file == nil {
		gaps = append(gaps, "include_pattern matches no file here")
	}
	if len(r.secret) > 0 {
		gaps = append(gaps, "not searched, may hold secrets: "+some(r.secret))
	}
	if r.binary > 0 {
		gaps = append(gaps, fmt.Sprintf("not searched: %s", count(r.binary, "binary file", "binary files")))
	}
	if len(r.large) > 0 {
		gaps = append(gaps, "not searched, larger than 10 MiB: "+some(r.large))
	}
	return notes(append(gaps, r.gaps...))
}
