package match

import (
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A reading is what the model may have meant: its texts with one garbling undone.
type reading struct {
	old, new string
	how      string // completes "old_string was read"
	lines    bool   // old is whole lines
	line     int    // the line of the file it must be, from one; zero if any
}

// readings returns what old and new may have been before one garbling, which is
// undone in new only if new shows it too.
func readings(old, new string) []reading {
	var rs []reading
	for _, undo := range []func(old, new string) []reading{unfence, unnumber, unmark, unescape, unentity, undash, redash} {
		for _, r := range undo(old, new) {
			if r.old != old && !isBlank(r.old) {
				rs = append(rs, r)
			}
		}
	}
	return rs
}

var fence = regexp.MustCompile("^[ \t]*(`{3,}|~{3,})[^`]*$")

// unfence removes a Markdown code fence. The line end before the closing fence belongs to
// the fence: without it the text may be part of a line, and a new text without a fence
// need not have it.
func unfence(old, new string) []reading {
	const how = "without its code fence"
	inOld, ok := fenced(old)
	if !ok {
		return nil
	}
	inNew, ok := fenced(new)
	part := cutEnd(inNew)
	if !ok {
		inNew = halfFenced(new)
		part = inNew
	}
	if inNew != "" && cutEnd(inNew) == inNew {
		inNew += inOld[len(cutEnd(inOld)):]
	}
	return []reading{{old: inOld, new: inNew, how: how}, {old: cutEnd(inOld), new: part, how: how}}
}

// cutEnd removes a line end from the end of a text.
func cutEnd(s string) string { return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r") }

// halfFenced removes a first or last line that is a fence without its counterpart.
func halfFenced(s string) string {
	lines := split(s)
	if len(lines) > 1 && fence.MatchString(lines[0].body) {
		s = s[lines[1].at:]
	} else if len(lines) > 1 && fence.MatchString(lines[len(lines)-1].body) {
		s = s[:lines[len(lines)-1].at]
	}
	return s
}

// Unfence removes the code fence around a new text if neither the text that it
// replaces nor the file has one, and reports whether it did. Callers must not use it
// for files that may have fences, such as Markdown.
func Unfence(new, old, file string) (plain string, ok bool) {
	inner, ok := fenced(new)
	if !ok || hasFence(old) || hasFence(file) || isBlank(inner) {
		return new, false
	}
	if old != "" && !strings.HasSuffix(old, "\n") {
		inner = cutEnd(inner)
	}
	return inner, true
}

func hasFence(s string) bool {
	return slices.ContainsFunc(split(s), func(l line) bool { return fence.MatchString(l.body) })
}

func fenced(s string) (string, bool) {
	lines := split(strings.TrimSpace(s))
	if len(lines) < 2 || !fence.MatchString(lines[0].body) {
		return "", false
	}
	last := lines[len(lines)-1]
	mark := strings.TrimSpace(last.body)
	if !fence.MatchString(last.body) || strings.Trim(mark, mark[:1]) != "" {
		return "", false
	}
	return strings.TrimSpace(s)[lines[1].at:last.at], true
}

var numbered = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ \t]*(?:[Ll](?:ine )?)?(\d{1,7})([ ]*[:|│→]|[ ]*\t|-|[ ]|$)`)
})

// unnumber removes line numbers of a reader, or bars in their place. Numbers of
// several lines must count up; a single one must be that of the line, or it is part
// of the text.
func unnumber(old, new string) []reading {
	lines := split(old)
	bodies := make([]string, len(lines))
	separator, first, solid := "", 0, 0
	for i, l := range lines {
		m := numbered().FindStringSubmatchIndex(l.body)
		if m == nil {
			if isBlank(l.body) {
				continue
			}
			return unbar(old, new)
		}
		no, err := strconv.Atoi(l.body[m[2]:m[3]])
		sep := strings.TrimLeft(l.body[m[4]:m[5]], " ")
		switch {
		case err != nil, solid > 0 && no != first+i:
			return nil
		case solid == 0:
			first, separator = no-i, sep
		case sep != separator && (sep != "" || m[1] < len(l.body)):
			return nil
		}
		bodies[i] = l.body[m[1]:]
		solid++
	}
	if solid == 0 || solid == 1 && strings.Trim(separator, "-") == "" {
		return nil
	}
	rs := stripped(lines, bodies, new, "without the line numbers before its lines", func(s string) (string, bool) {
		m := numbered().FindStringSubmatchIndex(s)
		if m == nil {
			return s, false
		}
		sep := strings.TrimLeft(s[m[4]:m[5]], " ")
		return s[m[1]:], sep == separator || sep == "" && m[1] == len(s)
	})
	if solid == 1 {
		for i := range rs {
			rs[i].line = first + slices.IndexFunc(bodies, func(b string) bool { return b != "" })
		}
	}
	return rs
}

func unbar(old, new string) []reading {
	lines := split(old)
	bodies := make([]string, len(lines))
	cut := func(s string) (string, bool) {
		return strings.CutPrefix(strings.TrimLeft(s, " \t"), "|")
	}
	for i, l := range lines {
		var ok bool
		if bodies[i], ok = cut(l.body); !ok && !isBlank(l.body) {
			return nil
		}
	}
	if len(lines) < 2 {
		return nil // it may be a pipe or a table cell
	}
	return stripped(lines, bodies, new, "without the bars before its lines", cut)
}

// stripped reads old as bodies, and new without what cut removes from its lines. If
// all bodies begin with a space, that may be part of what was cut.
func stripped(lines []line, bodies []string, new, how string, cut func(string) (string, bool)) []reading {
	read := func(space string) reading {
		var s, n strings.Builder
		for i, b := range bodies {
			s.WriteString(strings.TrimPrefix(b, space) + lines[i].end)
		}
		for _, l := range split(new) {
			if body, ok := cut(l.body); ok {
				l.body = strings.TrimPrefix(body, space)
			}
			n.WriteString(l.body + l.end)
		}
		return reading{old: s.String(), new: n.String(), how: how, lines: true}
	}
	if slices.ContainsFunc(bodies, func(b string) bool { return !isBlank(b) && b[0] != ' ' }) {
		return []reading{read("")}
	}
	return []reading{read(" "), read("")}
}

// unmark reads the lines of a unified diff. Those without a mark must be the same in
// both.
func unmark(old, new string) []reading {
	oldText, oldKept, removed := marked(old, "-")
	newText, newKept, _ := marked(new, "+")
	if !removed || !slices.Equal(oldKept, newKept) || newText == "" && new != "" {
		return nil
	}
	return []reading{{old: oldText, new: newText, how: "without the marks of a diff before its lines", lines: true}}
}

// marked removes the mark or space that every line begins with. kept are the lines
// with a space. The text is empty if a line begins otherwise.
func marked(s, mark string) (text string, kept []string, some bool) {
	var b strings.Builder
	for _, l := range split(s) {
		body, cut := strings.CutPrefix(l.body, mark)
		some = some || cut
		if !cut && body != "" {
			var ok bool
			if body, ok = strings.CutPrefix(body, " "); !ok {
				return "", nil, false
			}
			kept = append(kept, body)
		}
		b.WriteString(body + l.end)
	}
	return b.String(), kept, some
}

// escapes are sets of characters that may have one backslash too many, the
// likeliest first.
var escapes = []string{`nrt"'\/` + "`", `nrt"\`, `nrt"`, `nrt`, `"'`, `"`, `\`}

// unescape undoes one level of backslash escapes.
func unescape(old, new string) []reading {
	if !strings.Contains(old, `\`) {
		return nil
	}
	var rs []reading
	for _, set := range escapes {
		if plain := unescaped(old, set); plain != old {
			r := reading{old: plain, new: new, how: "with its backslash escapes undone"}
			if isEscaped(new, old, set) {
				r.new = unescaped(new, set)
			}
			rs = append(rs, r)
		}
	}
	return rs
}

func unescaped(s, set string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(set, s[i+1]) >= 0 {
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 'r':
				b.WriteByte('\r')
			case 't':
				b.WriteByte('\t')
			default:
				b.WriteByte(s[i])
			}
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// isEscaped reports whether new has escapes too: it has no bare character that
// either text escapes, unless old has it bare.
func isEscaped(new, old, set string) bool {
	new, old = strings.TrimRight(new, "\r\n"), strings.TrimRight(old, "\r\n")
	bare := func(s string, c byte) bool {
		for i := 0; i < len(s); i++ {
			if s[i] == '\\' {
				i++
			} else if s[i] == c {
				return true
			}
		}
		return false
	}
	for i := range len(set) {
		c := set[i]
		if escaped := `\` + string(c); !strings.Contains(old+" "+new, escaped) {
			continue
		}
		switch c {
		case 'n':
			c = '\n'
		case 't':
			c = '\t'
		case 'r', '\\', '/':
			continue
		}
		if bare(new, c) && !bare(old, c) {
			return false
		}
	}
	return true
}

// undash reads a long dash as the two hyphens that it often replaces.
func undash(old, new string) []reading {
	var rs []reading
	for _, dash := range []string{"\u2014", "\u2013"} {
		hyphens := strings.NewReplacer(dash, "--").Replace
		rs = append(rs, reading{old: hyphens(old), new: hyphens(new), how: "with two hyphens for its long dashes"})
	}
	return rs
}

// redash reads two hyphens as the long dash that the file may have.
func redash(old, new string) []reading {
	if !strings.Contains(old, "--") {
		return nil
	}
	dash := strings.NewReplacer("--", "\u2014").Replace
	return []reading{{old: dash(old), new: dash(new), how: "with a long dash for its two hyphens"}}
}

var (
	entity = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,6}|#[xX][0-9a-fA-F]{1,6});`)
	})
	entitySets = []string{"", "&lt;&gt;&amp;", "&lt;&gt;", "&quot;&apos;&#39;&#34;&#x27;&#x22;"}
	nearEntity = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`&(?:[a-zA-Z]+|#[0-9a-zA-Z]+);`)
	})
	bareMarkups = "<>&"
)

// unentity reads HTML entities as their characters.
func unentity(old, new string) []reading {
	if !entity().MatchString(old) {
		return nil
	}
	bare := strings.ContainsAny(nearEntity().ReplaceAllString(new, ""), bareMarkups)
	bareOld := strings.ContainsAny(nearEntity().ReplaceAllString(old, ""), bareMarkups)
	var rs []reading
	for _, set := range entitySets {
		undo := func(s string) string {
			return entity().ReplaceAllStringFunc(s, func(e string) string {
				if set == "" || strings.Contains(set, strings.ToLower(e)) {
					return html.UnescapeString(e)
				}
				return e
			})
		}
		r := reading{old: undo(old), new: new, how: "with its HTML entities undone"}
		if !bare || bareOld {
			r.new = undo(new)
		}
		if len(rs) == 0 || r.old != rs[len(rs)-1].old {
			rs = append(rs, r)
		}
	}
	return rs
}
