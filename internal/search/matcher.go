package search

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/ide/disk"
)

// A Matcher finds the lines of a text that match a pattern. The pattern never
// sees the end of a line, so that "$" matches before a CRLF and "\s" does not
// match into the next line.
type Matcher struct {
	match   *regexp.Regexp
	exclude *regexp.Regexp // lines that do not count; may be nil
	needles needles
	ascii   bool // the needles are ASCII
	keepCR  bool // the pattern refers to carriage returns
}

// Options of [Compile].
type Options struct {
	Literal       bool // the pattern is plain text
	CaseSensitive bool
}

// ErrMultiline is returned for patterns whose matches would all hold a line end.
var ErrMultiline = errors.New("the pattern contains a line end, but lines are searched one by one")

// Compile compiles a pattern in the syntax of package regexp. An invalid pattern
// is a [*syntax.Error] or [ErrMultiline].
func Compile(pattern string, o Options) (*Matcher, error) {
	if o.Literal {
		pattern = regexp.QuoteMeta(pattern)
	}
	flags := syntax.Perl
	if !o.CaseSensitive {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, err
	}
	if spans(tree) {
		return nil, ErrMultiline
	}
	match, err := regexp.Compile(withCase(pattern, o.CaseSensitive))
	if err != nil {
		return nil, err
	}
	m := &Matcher{match: match, needles: newNeedles(tree)}
	m.ascii = m.needles.ascii()
	m.keepCR = strings.ContainsRune(pattern, '\r') || strings.Contains(pattern, `\r`) || strings.Contains(pattern, `\x0d`)
	return m, nil
}

// Except makes m skip the lines that x matches.
func (m *Matcher) Except(x *Matcher) { m.exclude = x.match }

func withCase(pattern string, caseSensitive bool) string {
	if caseSensitive {
		return pattern
	}
	return "(?i)" + pattern
}

// spans reports whether every match of the pattern would contain a line end.
func spans(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return strings.ContainsRune(string(re.Rune), '\n')
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if spans(sub) {
				return true
			}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return spans(re.Sub[0])
	}
	return false
}

// A hit is a line that matches.
type hit struct {
	line       int // counted from 1
	start, end int // of the line without its end, in the text
	at         int // where the match begins, in the line
}

// text decodes the bytes of the file at an absolute path, and returns nil for a file
// that cannot match. Only files that may match are decoded.
func (m *Matcher) text(path string, raw []byte) ([]byte, error) {
	wide := bytes.HasPrefix(raw, []byte("\xff\xfe")) || bytes.HasPrefix(raw, []byte("\xfe\xff")) || bytes.IndexByte(raw[:min(len(raw), sniffed)], 0) >= 0
	if !wide {
		if m.ascii && !m.needles.mayMatch(raw) {
			return nil, nil
		}
		if marked := bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")); !marked && utf8.Valid(raw) {
			return raw, nil
		}
	}
	text, _, err := disk.DecodeFile(path, raw)
	if err != nil && m.ascii && !m.needles.mayMatch(raw) {
		return nil, nil // whatever it is, it has no match
	}
	return []byte(text), err
}

// sniffed is how far into a file a NUL makes it binary, as in package disk.
const sniffed = 8000

// find returns the first lines of data that match, at most that many. It may
// write to data: a lone carriage return becomes a line end, as in editors.
func (m *Matcher) find(ctx context.Context, data []byte, most int) ([]hit, error) {
	if !m.keepCR {
		data = endLines(data)
	}
	var h hunt
	if len(m.needles) > 0 && m.needles.reliable(data) {
		h = m.needles.hunt(data)
	}
	var hits []hit
	number, counted := 1, 0 // the line that begins at counted
	for pos, tried := 0, 0; pos < len(data) && len(hits) < most; tried++ {
		if tried%1024 == 0 && ctx.Err() != nil {
			return hits, context.Cause(ctx)
		}
		start := pos
		if h != nil {
			at := h.next(pos)
			if at < 0 {
				break
			}
			start = pos + bytes.LastIndexByte(data[pos:at], '\n') + 1
		}
		end := indexFrom(data, '\n', start)
		pos = end + 1
		if !m.keepCR && end > start && data[end-1] == '\r' {
			end--
		}
		line := data[start:end]
		loc := m.match.FindIndex(line)
		if loc == nil || m.exclude != nil && m.exclude.Match(line) {
			continue
		}
		number += bytes.Count(data[counted:start], []byte("\n"))
		counted = start
		hits = append(hits, hit{number, start, end, loc[0]})
	}
	return hits, nil
}

// endLines replaces lone carriage returns by line feeds.
func endLines(data []byte) []byte {
	for i := indexFrom(data, '\r', 0); i < len(data); i = indexFrom(data, '\r', i+1) {
		if i+1 == len(data) || data[i+1] != '\n' {
			data[i] = '\n'
		}
	}
	return data
}
