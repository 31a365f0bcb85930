package match

import (
	"strings"
	"unicode"

	"github.com/emendo-dev/emendo/internal/lazyregexp"
)

const longestElision = 160 // bytes; longer lines are not checked

var (
	commentOpen  = lazyregexp.New(`^(?:\{?/\*+|//+|#+|--+|;+|%+|<!--+|\(\*|"""|''')[ \t]*`)
	commentClose = lazyregexp.New(`[ \t]*(?:\*+/\}?|--+>|\*\)|"""|''')$`)
	trailing     = lazyregexp.New(`[ \t](?://|#|/\*|--)[ \t]*(?:\.{3}|…)[^"'` + "`" + `]*$`)
	emptyBlock   = lazyregexp.New(`\{[ \t]*(?:/[/*]+[ \t]*)?(?:\.{3}|…)[ \t]*(?:\*/[ \t]*)?\}?$`)
	dots         = lazyregexp.New(`\.{3,}|…`)

	// elided matches the words next to the dots when a model leaves text out.
	elided = lazyregexp.New(`(?i)^(?:the |all |and |your )*(?:` +
		`(?:rest|remainder) (?:of|unchanged|is|remains|stays)\b.*|rest|` +
		`(?:other |all )?(?:existing|unchanged|remaining|previous|omitted|original) (?:[\w ]{0,40})|` +
		`other [\w ]{1,40}|` +
		`(?:same|as) (?:as )?(?:before|above|is)\b.*|` +
		`(?:unchanged|omitted|snip|snipped|truncated|existing|remaining|etc)|` +
		`no (?:other )?changes?\b.*|keep (?:the )?(?:rest|existing|other)\b.*|` +
		`[\w ]{0,40}(?:remains? (?:the same|unchanged|as is)|unchanged|omitted|as before|goes here|stays? the same)` +
		`)$`)
	// left matches words in brackets, without dots.
	left = lazyregexp.New(`(?i)^(?:unchanged|omitted|snip|snipped|truncated|elided)$`)
	// plainly matches comments without dots.
	plainly = lazyregexp.New(`(?i)^(?:the )?(?:(?:rest|remainder)(?: of [\w ]{1,40})? (?:is |are |remains? |stays? )?(?:the )?(?:unchanged|same|omitted|as before|as is)|` +
		`(?:existing|unchanged|remaining) (?:code|methods?|functions?|implementation|content|lines)(?: (?:here|unchanged|remains?|omitted|stays?))*|` +
		`rest of (?:the |this )?(?:code|file|methods?|functions?|class|implementation|body|content)|` +
		`(?:same as before|code (?:omitted|unchanged)|no changes? here))$`)
)

// Elision returns the first line of s that is a placeholder for omitted text, such
// as "// ... existing code ..." or bare dots, and does not occur in any of the known
// texts. It returns "" if there is none.
func Elision(s string, known ...string) string {
	for _, l := range split(s) {
		if !isElision(l.body) {
			continue
		}
		key, stands := parse(l.body).key, false
		for _, k := range known {
			for _, other := range split(k) {
				stands = stands || isElision(other.body) && parse(other.body).key == key
			}
		}
		if !stands {
			return strings.TrimSpace(l.body)
		}
	}
	return ""
}

// isElision reports whether a line, or the comment at its end, or a block in it, is
// a placeholder for omitted text.
func isElision(body string) bool {
	s := strings.TrimSpace(body)
	if len(s) > longestElision {
		return false
	}
	comment := commentOpen.MatchString(s)
	if !comment && dots.MatchString(s) {
		if emptyBlock.MatchString(s) {
			return true
		}
		if at := trailing.FindStringIndex(s); at != nil {
			comment := s[at[0]+1:]
			return strings.ContainsFunc(comment, unicode.IsLetter) && isElision(comment)
		}
	}
	s = commentOpen.ReplaceAllString(s, "")
	s = commentClose.ReplaceAllString(s, "")
	s = strings.TrimSpace(s)
	s, brackets := unbracketed(s)
	if !dots.MatchString(s) {
		s = strings.TrimRight(s, ".!")
		return (comment || brackets) && plainly.MatchString(s) || brackets && left.MatchString(s)
	}
	rest, _ := unbracketed(strings.Trim(s, ".… \t,;:-"))
	return rest == "" || !dots.MatchString(rest) && elided.MatchString(rest)
}

// unbracketed removes brackets around a text.
func unbracketed(s string) (inner string, some bool) {
	for len(s) > 1 && strings.ContainsAny(s[:1], "([{<") && strings.ContainsAny(s[len(s)-1:], ")]}>") {
		s, some = strings.TrimSpace(s[1:len(s)-1]), true
	}
	return s, some
}

// newElision returns the placeholder in new, unless old or the text has the same
// line.
func (t *target) newElision(old, new string) string {
	if Elision(new) == "" {
		return ""
	}
	return Elision(new, old, t.text)
}
