package match

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

const longestElision = 160 // bytes; longer lines are not checked

// parts matches a word for what files consist of.
const parts = `(?:code|contents?|methods?|functions?|imports?|implementation|logic|lines|text|file|body|tests?|columns|state|steps|fields|props|properties|members|rules|styles|definitions|statements|handlers|routes|entries|sections?|cases|options|configuration|config)`

var (
	commentOpen = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\{?/\*+|//+|#+|--+|;+|%+|<!--+|\(\*|"""|''')[ \t]*`)
	})
	commentClose = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[ \t]*(?:\*+/\}?|--+>|\*\)|"""|''')$`)
	})
	trailing   = regexp.MustCompile(`[ \t](?://|#|/\*|--)[ \t]*(?:\.{3}|…)[^"'` + "`" + `]*$`)
	emptyBlock = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\{[ \t]*(?:/[/*]+[ \t]*)?(?:\.{3}|…)[ \t]*(?:\*/[ \t]*)?\}?$`)
	})
	dots  = regexp.MustCompile(`\.{3,}|…`)
	ruler = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\.{5}`)
	})
	spread = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[{(\[]?[ \t]*\.\.\.[\pL_$][\w$.]*[ \t]*[)}\],;]*$`)
	})
)

// Patterns of words.
var (
	// saysSo matches words, next to dots, by which a model says that text is left out.
	saysSo = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:the |all |and |your |keep )*(?:` +
			`(?:rest|remainder) (?:of|unchanged|is|remains|stays)\b.*|` +
			`(?:other |all )?(?:existing|unchanged|remaining|previous|omitted|original) ` + parts + `\b[\w ,]{0,40}|` +
			`(?:same|as) (?:as )?(?:before|above|is)\b.*|` +
			`(?:unchanged|omitted|snip|snipped|truncated)|` +
			`no (?:other )?changes?\b.*|keep (?:the )?(?:rest|existing|other)\b.*|` +
			`[\w ]{0,40}(?:remains? (?:the same|unchanged|as is)|unchanged|omitted|as before|goes here|stays? the same)(?: for brevity)?` +
			`)$`)
	})
	// hints matches words that may mean the same.
	hints = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:the |all |and |your |some )*(?:rest|existing|remaining|etc|(?:existing|unchanged|remaining|previous|omitted|original|other|more) [\w ,]{1,40})$`)
	})
	// ofProse matches words that prose does not have of the outputs and examples in it.
	ofProse = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:rest|remainder) of\b|\bunchanged\b|\b(?:existing|remaining|previous|original) (?:code|contents?|text|sections?|document|file)\b|\bremains? the same\b|\bsame as before\b`)
	})
	// plainly matches comments without dots.
	plainly = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:the )?(?:(?:rest|remainder)(?: of [\w ]{1,40})? (?:is |are |remains? |stays? )?(?:the )?(?:unchanged|same|omitted|as before|as is)|` +
			`(?:existing|unchanged|remaining) ` + parts + `(?: (?:here|goes|unchanged|remains?|omitted|stays?|the same))+|` +
			`(?:same as before|code (?:omitted|unchanged)|no changes? here))(?: for brevity)?$`)
	})
	// heads matches comments that stand for what is left out, or head what follows.
	heads = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:existing|unchanged|remaining|rest of|remainder of) (?:the |this |your )?(?:code|file|methods?|functions?|class|component|module|implementation|body|content|lines)$`)
	})
)

// left lists words in brackets, without dots.
var left = []string{"unchanged", "omitted", "snip", "snipped", "elided", "code omitted"}

// Elisions returns the lines of a text that look like placeholders for omitted
// text, such as "// ... existing code ...", and do not occur in old, the text
// before, each as it is and once. name is that of the file: what is code or prose
// in its language is none.
func Elisions(name, text, old string) []string {
	if !mayElide(text) {
		return nil
	}
	g := grammarOf(name)
	lines := split(text)
	var known map[string]bool // of old
	var within []bool
	var found []string
	for no, l := range lines {
		if !mayElide(l.body) || len(l.body) > 4*longestElision {
			continue
		}
		s := strings.TrimSpace(l.body)
		if judgeElision(s) == 0 || slices.Contains(found, s) {
			continue
		}
		if known == nil {
			known = elisionKeys(old)
			within = g.within(lines)
		}
		if !known[parse(s).key] && g.elides(lines, no, old == "" && showing().MatchString(name), within[no]) {
			found = append(found, s)
		}
	}
	return found
}

// mayElide reports whether a text has what every placeholder has.
func mayElide(s string) bool {
	if strings.Contains(s, "...") || strings.Contains(s, "…") {
		return true
	}
	for _, w := range []string{"changed", "mitted", "same", "before", "snip", "lided", "xisting", "emaining", "est of", "ainder of", "changes"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// elisionKeys returns the keys of all lines that may be placeholders.
func elisionKeys(s string) map[string]bool {
	keys := map[string]bool{}
	if mayElide(s) {
		for _, l := range split(s) {
			if mayElide(l.body) && judgeElision(strings.TrimSpace(l.body)) != 0 {
				keys[parse(l.body).key] = true
			}
		}
	}
	return keys
}

// elision is the kind of placeholder that a line alone may be.
type elision int

const (
	noElision   elision = iota
	bareDots            // nothing else
	bareInNote          // dots in a comment
	blockOfDots         // a block of dots at the end of a line
	hint                // dots before words that may mean that text is left out
	heading             // a comment that may be the heading of what follows
	told                // words say that text is left out
)

// judgeElision judges a line without white space around it.
func judgeElision(s string) elision {
	if len(s) > longestElision || s == "" {
		return noElision
	}
	comment := commentOpen().MatchString(s)
	if !comment && dots.MatchString(s) {
		if at := emptyBlock().FindStringIndex(s); at != nil {
			switch {
			case strings.Contains(s[:at[0]], "//") || strings.Contains(s[:at[0]], "/*"):
				return noElision // in a comment
			case strings.Contains(s[at[0]:], "//"):
				return bareInNote
			}
			return blockOfDots
		}
		if at := trailing.FindStringIndex(s); at != nil {
			if note := s[at[0]+1:]; strings.ContainsFunc(note, unicode.IsLetter) && judgeElision(note) == told {
				return told
			}
			return noElision
		}
		if spread().MatchString(s) {
			return noElision
		}
	}
	s = commentOpen().ReplaceAllString(s, "")
	s = strings.TrimSpace(commentClose().ReplaceAllString(s, ""))
	s, brackets := unbracketed(s)
	if !dots.MatchString(s) {
		plain := strings.TrimRight(s, ".!")
		switch {
		case (comment || brackets) && plainly().MatchString(plain), brackets && slices.ContainsFunc(left, func(words string) bool { return strings.EqualFold(words, plain) }):
			return told
		case comment && heads().MatchString(plain):
			return heading
		}
		return noElision
	}
	rest, _ := unbracketed(strings.Trim(s, ".… \t,;:-"))
	switch {
	case ruler().MatchString(s), dots.MatchString(rest):
		return noElision
	case rest == "" && comment:
		return bareInNote
	case rest == "":
		return bareDots
	case saysSo().MatchString(rest):
		return told
	case hints().MatchString(rest) && dots.MatchString(s[:min(len(s), 4)]):
		return hint
	}
	return noElision
}

// unbracketed removes brackets around a text.
func unbracketed(s string) (inner string, some bool) {
	for len(s) > 1 && strings.ContainsAny(s[:1], "([{<") && strings.ContainsAny(s[len(s)-1:], ")]}>") {
		s, some = strings.TrimSpace(s[1:len(s)-1]), true
	}
	return s, some
}

// elides reports whether line no is a placeholder where it stands. shows says that
// it is in a new example or test, within that it begins inside a comment or a string
// of an earlier line.
func (g grammar) elides(lines []line, no int, shows, within bool) bool {
	s := strings.TrimSpace(lines[no].body)
	if within {
		return false
	}
	switch judgeElision(s) {
	case told:
		return !g.prose || ofProse().MatchString(s)
	case bareDots:
		return !g.prose && !g.dotsAreCode(lines, no)
	case blockOfDots:
		return !g.prose && !g.dots
	case bareInNote:
		return !g.prose && !shows && !beside(lines, no) && !strings.Contains(s, "  ") && !strings.Contains(s, "\t")
	case hint:
		return !g.prose && !beside(lines, no)
	case heading:
		return !g.prose && !beside(lines, no) && !headsCode(lines, no)
	case noElision:
	}
	return false
}

// beside reports whether a comment stands directly above or below a line: then both
// are parts of one.
func beside(lines []line, no int) bool {
	for _, k := range []int{no - 1, no + 1} {
		if k < 0 || k >= len(lines) {
			continue
		}
		s := strings.TrimSpace(lines[k].body)
		if commentOpen().MatchString(s) && judgeElision(s) == noElision {
			return true
		}
	}
	return false
}

// showing matches names of files that show something: dots stand there for what does
// not matter.
var showing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)test|example|sample|demo|fixture|tutorial|doc`)
})

// firstElision returns the first line that may be a placeholder, or "".
func firstElision(s string) string {
	for _, l := range split(s) {
		if s := strings.TrimSpace(l.body); judgeElision(s) != noElision {
			return s
		}
	}
	return ""
}

// headsCode reports whether text of the same indentation follows a line.
func headsCode(lines []line, no int) bool {
	here := parse(lines[no].body)
	for _, l := range lines[no+1:] {
		if next := parse(l.body); len(next.tokens) > 0 {
			return here.indent == next.indent && !strings.Contains(")]}", next.tokens[0].text) && next.tokens[0].text != "end"
		}
	}
	return false
}
