package match

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// token is a word or one other character of a line, with the white space
// before it.
type token struct {
	gap  string
	text string
	key  string // folded text: tokens with the same key are equal
	word bool
}

// parsed is a parsed line.
type parsed struct {
	blanks int // empty lines before it
	indent string
	odd    bool    // the model's indent had unusual spaces
	tokens []token // the first one has no gap: that is the indent
	tail   string  // white space at the end
	key    string  // lines with the same key are equal
}

// parse parses a line. A blank line has no tokens.
func parse(body string) parsed {
	var p parsed
	gap, i := 0, 0
	for i < len(body) {
		r, size := utf8.DecodeRuneInString(body[i:])
		if isSpace(r) {
			i += size
			continue
		}
		start := i
		i += size
		word := isWord(r)
		for word && i < len(body) {
			r, size = utf8.DecodeRuneInString(body[i:])
			if !isWord(r) {
				break
			}
			i += size
		}
		if r == '.' && strings.HasPrefix(body[start:], "...") { // what an ellipsis is plainly
			i = start + len("...")
		}
		t := token{gap: body[gap:start], text: body[start:i], word: word}
		t.key = foldToken(t.text)
		if len(p.tokens) == 0 {
			p.indent, t.gap = t.gap, ""
		}
		p.tokens = append(p.tokens, t)
		gap = i
	}
	p.tail = body[gap:]
	p.key = lineKey(p.tokens)
	return p
}

// lineKey joins the tokens without the white space that does not matter: all except
// between words and inside what would be an operator.
func lineKey(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 {
			last := tokens[i-1]
			if last.word && t.word || t.gap != "" && operators[last.key+t.key] {
				b.WriteByte(' ')
			}
		}
		b.WriteString(t.key)
	}
	return b.String()
}

func foldToken(s string) string {
	ascii := true
	for i := 0; i < len(s); i++ {
		ascii = ascii && s[i] < utf8.RuneSelf
	}
	if ascii {
		return s
	}
	s = foldWidth(norm.NFC.String(s))
	if r, size := utf8.DecodeRuneInString(s); size == len(s) {
		return foldRune(r, s)
	}
	return s
}

// foldRune returns the ASCII form of typographic quotes and dashes, else s.
func foldRune(r rune, s string) string {
	switch {
	case strings.ContainsRune(doubleQuotes, r):
		return `"`
	case strings.ContainsRune(singleQuotes, r):
		return "'"
	case strings.ContainsRune(dashes, r):
		return "-"
	case r == '\u2026':
		return "..."
	}
	return s
}

// Characters that are used in place of an ASCII one.
const (
	doubleQuotes = "\u201c\u201d\u201e\u201f\u2033\u02ba\uff02"
	singleQuotes = "\u2018\u2019\u201a\u201b\u2032\u00b4\u02b9\u02bb\u02bc\uff07"
	dashes       = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
)

// isSpace reports whether a character shows as a space or as nothing.
func isSpace(r rune) bool { return invisible(r) || unicode.IsSpace(r) }

// invisible reports whether a character shows as nothing, not even as a space.
func invisible(r rune) bool {
	return r == '\u200b' || r == '\u2060' || r == '\ufeff' || isVariation(r)
}

// isVariation reports whether a character only chooses the look of the one before it,
// such as that of an emoji.
func isVariation(r rune) bool { return r >= '\ufe00' && r <= '\ufe0f' }

func isWord(r rune) bool {
	if strings.ContainsRune(singleQuotes+doubleQuotes, r) || isVariation(r) {
		return false // some of them count as letters
	}
	return r == '_' || r == '\uff3f' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// operators are pairs of characters that mean something else with a space between
// them.
var operators = words("++ -- ** && || << >> == != <= >= += -= *= /= %= &= |= ^= ~= =~ -> => <- <> :: := .. ?. ?? ?: // /* */ |> <| <$ $> ~> !~ #{ ${ $( @@")

func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

func isBlank(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !isSpace(r) }) < 0
}

// passage is the parsed text of the model: its lines that are not blank, and the
// blank lines around them.
type passage struct {
	lines []parsed
	after int // empty lines after the last
}

func parsePassage(s string) passage {
	var p passage
	blanks := 0
	for _, l := range split(s) {
		q := parse(l.body)
		if len(q.tokens) == 0 {
			blanks++
			continue
		}
		q.blanks, blanks = blanks, 0
		plain := plainSpaces(q.indent)
		q.indent, q.odd = plain, plain != q.indent
		p.lines = append(p.lines, q)
	}
	p.after = blanks
	return p
}

func (p passage) keys() []string {
	keys := make([]string, len(p.lines))
	for i, l := range p.lines {
		keys[i] = l.key
	}
	return keys
}
