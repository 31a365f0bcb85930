package loop

import (
	"regexp"
	"strings"
	"sync"
)

// line reads a text character by character and separates prose from code and rules. It
// works on lines, since the pieces in which a text arrives are cut anywhere.
type line struct {
	held  []rune // the start of the line, until its kind is known
	kind  kind
	fence string // that opened the current code block; empty outside of code
}

// kind is the kind of a line.
type kind int

const (
	open  kind = iota // not known yet
	prose             // plain text, also in a list item, table row, heading or quotation
	rule              // drawn
	code              // code, or the fence at its beginning or its end
)

// telling is how many characters of a line tell its kind.
const telling = 40

// The lines that are told by their beginning: with the fence of code, which may be in an item
// of a list, with the mark of an item, a row, a heading or a quotation, and drawn ones.
var (
	fenceLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^\\s*(?:(?:[-*+]|\\p{Nd}+[.)])\\s+)?(```+|~~~+)")
	})
	markedLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?:[|>•]|#+[ \t]|(?:[-*+]|\p{Nd}+[.)])\s)`)
	})
	drawnLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[-+_=*|\s\x{2500}-\x{257f}]*$`)
	})
)

// add reads a character. It returns the characters now known to be prose, and whether a
// line or block begins that is independent of the text before it.
func (l *line) add(r rune) (said []rune, fresh bool) {
	ended := r == '\n'
	l.held = append(l.held, r)
	switch {
	case l.kind == open && (ended || len(l.held) == telling):
		l.kind, fresh = l.classify(ended)
	case l.kind == rule && len(l.held) > remembered: // a rule without end is a loop
		l.kind = prose
	}
	switch l.kind {
	case prose:
		said, l.held = l.held, nil
	case code:
		l.held = nil
	case open, rule:
	}
	if ended {
		*l = line{fence: l.fence}
	}
	return said, fresh
}

// classify returns the kind of the line by what is held of it, which is all of it if it has
// ended, and whether the line is independent of the text before it.
func (l *line) classify(ended bool) (k kind, fresh bool) {
	text := string(l.held)
	plain := strings.TrimSpace(text)
	if l.fence != "" {
		// Only a fence like the opening one, at least as long, ends the code.
		if ended && len(plain) >= len(l.fence) && strings.Trim(plain, l.fence[:1]) == "" {
			l.fence = ""
		}
		return code, false
	}
	if m := fenceLine().FindStringSubmatch(text); m != nil {
		l.fence = m[1]
		return code, true
	}
	if drawnLine().MatchString(text) && (plain != "" || !ended) {
		return rule, true
	}
	return prose, markedLine().MatchString(text)
}
