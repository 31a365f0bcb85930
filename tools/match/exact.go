package match

import (
	"sort"
	"strings"
)

// exact finds old literally, except that "\r\n" and "\n" are the same line end.
// places includes occurrences that overlap. If there is more than one, edits is
// empty unless multiple is set.
func (t *target) exact(r reading, multiple bool) (edits []Edit, places []int) {
	plain, crlf := t.plain()
	old, new := withLineFeeds(r.old), withLineFeeds(r.new)
	free := 0
	for from := 0; len(places) <= maxPlaces || multiple; from++ {
		i := strings.Index(plain[from:], old)
		if i < 0 {
			break
		}
		from += i
		end := from + len(old)
		if r.lines && !isLines(plain, from, end) {
			continue
		}
		a, b := rawOffset(crlf, from), rawOffset(crlf, end)
		places = append(places, a)
		if from >= free {
			edits = append(edits, Edit{A: a, B: b, Text: t.withEnds(a, b, new)})
			free = end
		}
	}
	if len(places) > 1 && !multiple {
		return nil, places
	}
	if len(places) == 1 && r.line > 0 && r.line != t.lineOf(places[0])+1 {
		return nil, nil
	}
	return edits, places
}

// isLines reports whether s[a:b] is whole lines, with or without the last end.
func isLines(s string, a, b int) bool {
	return (a == 0 || s[a-1] == '\n') && (b == len(s) || s[b] == '\n' || s[b-1] == '\n')
}

// plain returns the text with "\n" for "\r\n", and where those were.
func (t *target) plain() (string, []int) {
	if t.lf == "" {
		t.lf = withLineFeeds(t.text)
		if len(t.lf) < len(t.text) {
			for i := 0; i < len(t.text); i++ {
				if t.text[i] == '\n' && i > 0 && t.text[i-1] == '\r' {
					t.crlf = append(t.crlf, i-1-len(t.crlf))
				}
			}
		}
	}
	return t.lf, t.crlf
}

// rawOffset converts an offset in the plain text to one in the text.
func rawOffset(crlf []int, off int) int {
	return off + sort.SearchInts(crlf, off)
}

// withEnds returns new with the line ends of text[a:b], which it replaces.
func (t *target) withEnds(a, b int, new string) string {
	if !strings.Contains(new, "\n") {
		return new
	}
	return keepEnds(split(t.text[a:b]), t.endAt(a), new)
}

// KeepEnds returns the whole new text of a file with the line ends of the old one:
// lines in both keep theirs, other lines get that of the line that they replace or
// follow. A new text with "\r\n" that differs only in line ends is returned as it
// is.
func KeepEnds(old, new string) string {
	was := split(old)
	plain := withLineFeeds(new)
	if len(was) == 0 || was[0].end == "" || new != plain && withLineFeeds(old) == plain {
		return new
	}
	return keepEnds(was, was[0].end, plain)
}

// keepEnds returns the lines of new, which end in "\n", with the ends of the lines
// they replace. end is for leading lines that replace none.
func keepEnds(was []line, end, new string) string {
	mixed := false
	for _, l := range was {
		mixed = mixed || l.end != "" && l.end != end
	}
	if !mixed {
		return strings.ReplaceAll(new, "\n", end)
	}
	oldBodies, lines := make([]string, len(was)), strings.Split(new, "\n")
	for i, l := range was {
		oldBodies[i] = l.body
	}
	var s strings.Builder
	for k, i := range pairReplaced(align(oldBodies, lines), len(was)) {
		s.WriteString(lines[k])
		if i >= 0 && was[i].end != "" {
			end = was[i].end
		}
		if k < len(lines)-1 {
			s.WriteString(end)
		}
	}
	return s.String()
}

// endAt returns the line end of the line with the byte at a, or the usual one of
// the text if that line has none.
func (t *target) endAt(a int) string {
	if i := t.lineOf(a); i >= 0 && t.lines[i].end != "" {
		return t.lines[i].end
	}
	return t.end
}
