package matchtest

import (
	"slices"
	"strings"
	"unicode"
)

// dedented removes the common indentation of old and new.
func dedented(m *maker) (Case, bool) {
	e := m.edit()
	common := ""
	for i, l := range slices.Concat(e.before(), e.after) {
		if blank(l) {
			continue
		}
		if i == 0 {
			common = indentOf(l)
		}
		for !strings.HasPrefix(l, common) {
			common = common[:len(common)-1]
		}
	}
	c, ok := e.mapped(func(l string) string { return strings.TrimPrefix(l, common) }, true)
	return c, ok && common != ""
}

func firstDedented(m *maker) (Case, bool) {
	e := m.edit()
	old, new := strings.TrimLeft(e.old(), " \t"), strings.TrimLeft(e.new(), " \t")
	c, ok := e.right(old, new)
	return c, ok && old != e.old() && indentOf(e.before()[0]) == indentOf(e.after[0])
}

// reindented changes the steps of the indentation.
func reindented(m *maker) (Case, bool) {
	e := m.edit()
	to := one(m, "\t", "  ", "    ", "        ", "   ")
	c, ok := e.mapped(func(l string) string {
		out := ""
		for strings.HasPrefix(l, e.unit) {
			out, l = out+to, l[len(e.unit):]
		}
		return out + l
	}, true)
	return c, ok && to != e.unit
}

// typographic replaces characters in old and new, each by the next, if old has them:
// otherwise they may be intended in new.
func typographic(pairs ...string) func(*maker) (Case, bool) {
	return func(m *maker) (Case, bool) {
		e := m.edit()
		var use []string
		for i := 0; i < len(pairs); i += 2 {
			if strings.Contains(e.old(), pairs[i]) {
				use = append(use, pairs[i], pairs[i+1])
			}
		}
		r := strings.NewReplacer(use...)
		return e.mapped(r.Replace, true)
	}
}

// partOfLines cuts old and new at the same words, before and after the change.
func partOfLines(m *maker) (Case, bool) {
	e := m.edit()
	old, new := e.old(), e.new()
	head, tail := 0, 0
	for head < min(len(old), len(new)) && old[head] == new[head] {
		head++
	}
	for tail < min(len(old), len(new))-head && old[len(old)-1-tail] == new[len(new)-1-tail] {
		tail++
	}
	if head+tail == 0 {
		return Case{}, false
	}
	a, b := m.rand.IntN(head+1), m.rand.IntN(tail+1)
	c, ok := e.right(old[a:len(old)-b], new[a:len(new)-b])
	return c, ok && c.Old != "" && strings.Count(e.text, c.Old) == 1
}

// misspelled misspells a long word of old, and each of its occurrences in new.
func misspelled(m *maker) (Case, bool) {
	e := m.edit()
	var long []string
	for _, w := range word.FindAllString(e.old(), -1) {
		if len(w) >= 8 && strings.ToLower(w[1:]) == w[1:] && !strings.Contains(w, "_") {
			long = append(long, w)
		}
	}
	if len(long) == 0 {
		return Case{}, false
	}
	w := one(m, long...)
	i := 2 + m.rand.IntN(len(w)-5)
	slip := one(m,
		w[:i]+w[i+1:i+2]+w[i:i+1]+w[i+2:],
		w[:i]+w[i+1:],
		w[:i]+w[i:i+1]+w[i:])
	old := replaceWord(e.old(), w, slip)
	c, ok := e.right(old, replaceWord(e.new(), w, slip))
	return c, ok && slip != w && old != e.old() && !strings.Contains(e.text, slip)
}

// replaceWord replaces a word unless it is part of another.
func replaceWord(s, w, with string) string {
	part := func(r byte) bool { return r == '_' || unicode.IsLetter(rune(r)) || unicode.IsDigit(rune(r)) }
	var b strings.Builder
	for {
		i := strings.Index(s, w)
		if i < 0 {
			return b.String() + s
		}
		end := i + len(w)
		b.WriteString(s[:i])
		if i > 0 && part(s[i-1]) || end < len(s) && part(s[end]) {
			b.WriteString(w)
		} else {
			b.WriteString(with)
		}
		s = s[end:]
	}
}

// changesBesideBlank reports whether a blank line of either text is next to a line
// that the other does not have.
func (e edit) changesBesideBlank() bool {
	if len(e.after) < len(e.before()) {
		return true
	}
	for i, l := range e.after {
		if !blank(l) {
			continue
		}
		for _, k := range []int{i - 1, i, i + 1} {
			if k >= 0 && k < len(e.after) && (e.origin[k] < 0 || e.after[k] != e.before()[e.origin[k]]) {
				return true
			}
		}
	}
	return false
}

func withCRLF(c Case) Case {
	c.Text = strings.ReplaceAll(c.Text, "\n", "\r\n")
	for i := range c.Right {
		c.Right[i] = strings.ReplaceAll(c.Right[i], "\n", "\r\n")
	}
	return c
}

// mixedEnds ends some lines of the file with CRLF. It uses only edits without new
// lines, whose ends could be either.
func mixedEnds(m *maker) (Case, bool) {
	e := m.edit()
	if slices.Contains(e.origin, -1) {
		return Case{}, false
	}
	ends := make([]string, len(e.lines))
	for i := range ends {
		ends[i] = one(m, "\n", "\r\n")
	}
	var text, right strings.Builder
	for i, l := range e.lines {
		text.WriteString(l + ends[i])
		if i < e.from || i >= e.to {
			right.WriteString(l + ends[i])
		}
		if i == e.from {
			for k, n := range e.after {
				right.WriteString(n + ends[e.from+e.origin[k]])
			}
		}
	}
	old, new := e.old(), e.new()
	if m.rand.IntN(2) == 0 {
		old, new = strings.ReplaceAll(old, "\n", " \n"), strings.ReplaceAll(new, "\n", " \n")
	}
	c, ok := e.right(old, new)
	c.Text, c.Right = text.String(), []string{right.String()}
	return c, ok
}

// atTheEnd removes the file's last line end.
func atTheEnd(m *maker) (Case, bool) {
	e := m.edit()
	if e.to < len(e.lines) {
		return Case{}, false
	}
	c, ok := e.right(e.old(), e.new())
	c.Text, c.Right[0] = strings.TrimSuffix(c.Text, "\n"), strings.TrimSuffix(c.Right[0], "\n")
	return c, ok
}
