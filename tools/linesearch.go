package tools

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/ide/disk"
)

// A lineSearch finds the lines of texts that a pattern matches. A pattern
// never sees the end of a line, so that "$" matches before the line ends of
// Windows and "\s" does not lead into the next line.
type lineSearch struct {
	match   *regexp.Regexp
	exclude *regexp.Regexp // lines that do not count; may be nil
	needles needles
	parts   []needles // that are looked for before the pattern is tried
	ascii   bool      // the needles and parts are
	keepCR  bool      // the pattern speaks of carriage returns
}

// newLineSearch compiles a pattern; one that is wrong is an [*Error].
func newLineSearch(param, pattern string, literally, caseSensitive bool) (*lineSearch, error) {
	if literally {
		pattern = regexp.QuoteMeta(pattern)
	}
	flags := syntax.Perl
	if !caseSensitive {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, badPattern(param, pattern, err)
	}
	if spans(tree) {
		return nil, Errorf(InvalidParams, "%s holds a line end, but lines are searched one by one: search for one of the lines", param)
	}
	match, err := regexp.Compile(withCase(pattern, caseSensitive))
	if err != nil {
		return nil, badPattern(param, pattern, err)
	}
	s := &lineSearch{match: match, needles: newNeedles(tree), parts: newParts(tree)}
	s.ascii = s.needles.ascii()
	for _, p := range s.parts {
		s.ascii = s.ascii && p.ascii()
	}
	if len(s.parts) == 1 { // the needles themselves
		s.parts = nil
	}
	s.keepCR = strings.ContainsRune(pattern, '\r') || strings.Contains(pattern, `\r`) || strings.Contains(pattern, `\x0d`)
	return s, nil
}

func withCase(pattern string, caseSensitive bool) string {
	if caseSensitive {
		return pattern
	}
	return "(?i)" + pattern
}

// spans says whether every match of the pattern would hold a line end.
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

// badPattern says what is wrong with a pattern and where.
func badPattern(param, pattern string, err error) error {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return Errorf(InvalidParams, "%s is not a valid regular expression: %v", param, err)
	}
	where := ""
	if i := strings.Index(pattern, e.Expr); i >= 0 && e.Expr != pattern {
		where = " at character " + strconv.Itoa(utf8.RuneCountInString(pattern[:i])+1)
	}
	advice := "; for plain text set fixed_strings"
	switch e.Code {
	case syntax.ErrInvalidPerlOp:
		advice = "; the dialect is RE2, which has no look-around"
	case syntax.ErrInvalidEscape:
		advice = "; the dialect is RE2, which has no back-references"
	}
	return Errorf(InvalidParams, "%s is not a valid regular expression: %s%s: %s%s", param, e.Code, where, Shown(e.Expr), advice)
}

// A hit is a line that matches.
type hit struct {
	line       int // counted from 1
	start, end int // of the line without its end, in the text
	at         int // where the match begins, in the line
}

// text is the text of a file's bytes, and nil when it cannot match. Only
// files that may match are decoded.
func (s *lineSearch) text(raw []byte) ([]byte, error) {
	wide := bytes.HasPrefix(raw, []byte("\xff\xfe")) || bytes.HasPrefix(raw, []byte("\xfe\xff"))
	if !wide {
		if s.ascii && (!s.needles.in(raw) || !s.hasParts(raw)) {
			return nil, nil
		}
		if marked := bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")); !marked && utf8.Valid(raw) {
			if bytes.IndexByte(raw[:min(len(raw), sniffed)], 0) >= 0 {
				return nil, disk.ErrBinary
			}
			return raw, nil
		}
	}
	text, _, err := disk.Decode(raw)
	return []byte(text), err
}

// hasParts says whether all that a match must hold is in data.
func (s *lineSearch) hasParts(data []byte) bool {
	for _, p := range s.parts {
		if !p.in(data) {
			return false
		}
	}
	return true
}

// sniffed is how far into a file a NUL makes it binary; package disk looks as
// far.
const sniffed = 8000

// find gives the first lines of data that match, at most that many. It may
// write to data: a lone carriage return ends a line, as it does in editors.
func (s *lineSearch) find(ctx context.Context, data []byte, most int) ([]hit, error) {
	if !s.keepCR {
		data = endLines(data)
	}
	var prey hunt
	if len(s.needles) > 0 && s.needles.reliable(data) {
		prey = s.needles.hunt(data)
	}
	var hits []hit
	number, counted := 1, 0 // the line that begins at counted
	for pos, tried := 0, 0; pos < len(data) && len(hits) < most; tried++ {
		if tried%1024 == 0 && ctx.Err() != nil {
			return hits, context.Cause(ctx)
		}
		start := pos
		if prey != nil {
			at := prey.next(pos)
			if at < 0 {
				break
			}
			start = pos + bytes.LastIndexByte(data[pos:at], '\n') + 1
		}
		end := seek(data, '\n', start)
		pos = end + 1
		if !s.keepCR && end > start && data[end-1] == '\r' {
			end--
		}
		line := data[start:end]
		if !s.hasParts(line) {
			continue
		}
		loc := s.match.FindIndex(line)
		if loc == nil || s.exclude != nil && s.exclude.Match(line) {
			continue
		}
		number += bytes.Count(data[counted:start], []byte("\n"))
		counted = start
		hits = append(hits, hit{number, start, end, loc[0]})
	}
	return hits, nil
}

// endLines makes every lone carriage return a line feed.
func endLines(data []byte) []byte {
	for i := seek(data, '\r', 0); i < len(data); i = seek(data, '\r', i+1) {
		if i+1 == len(data) || data[i+1] != '\n' {
			data[i] = '\n'
		}
	}
	return data
}
