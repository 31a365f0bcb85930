package matchtest

import (
	"path"
	"slices"
	"strings"
)

// doubtful returns the ways to garble after which the passage could be another one,
// or does not exist: nothing may be changed.
func doubtful() []Class {
	return []Class{
		{"elision in old", "lines of old are left out", func(m *maker) (Case, bool) {
			e := m.editOf(one(m, samples...), 4)
			i := 1 + m.rand.IntN(len(e.before())-2)
			old := joined(slices.Concat(e.before()[:i], []string{e.elision(m, e.before()[i])}, e.before()[i+1:]))
			return e.refused(e.text, old, e.new())
		}},
		{"elision in new", "lines of new are left out, and old is exact", func(m *maker) (Case, bool) {
			e := m.editOf(one(m, samples...), 4)
			i := 1 + m.rand.IntN(len(e.after))
			new := joined(slices.Insert(slices.Clone(e.after), i, e.elision(m, e.after[i-1])))
			return e.refused(e.text, e.old(), new)
		}},
		{"elision in both", "the same lines are left out of both", func(m *maker) (Case, bool) {
			e := m.editOf(one(m, samples...), 4)
			line := e.elision(m, e.before()[0])
			i, k := 1+m.rand.IntN(len(e.before())-1), 1+m.rand.IntN(len(e.after))
			return e.refused(e.text, joined(slices.Insert(slices.Clone(e.before()), i, line)), joined(slices.Insert(slices.Clone(e.after), k, line)))
		}},
		{"gone", "the passage is not in the file any more", func(m *maker) (Case, bool) {
			e := m.edit()
			c, ok := e.refused(joined(slices.Concat(e.lines[:e.from], e.lines[e.to:])), m.loosely(e.old()), m.loosely(e.new()))
			c.Line = 0
			return c, ok
		}},
		{"of another file", "the passage is another file's", func(m *maker) (Case, bool) {
			e := m.edit()
			c, ok := e.refused(one(m, samples...).text, m.loosely(e.old()), m.loosely(e.new()))
			c.Line = 0
			return c, ok
		}},
		{"changed where it changes", "a word of the line that changes was changed since it was read", func(m *maker) (Case, bool) {
			e := m.edit()
			for i, l := range e.after {
				if o := e.origin[i]; o >= 0 && e.before()[o] != l {
					return e.since(m, o, m.reword(e.before()[o]))
				}
			}
			return Case{}, false
		}},
		{"changed beside it", "a word of a line that stays was changed since it was read", func(m *maker) (Case, bool) {
			e := m.edit()
			for i, l := range e.after {
				if o := e.origin[i]; o >= 0 && e.before()[o] == l && !blank(l) {
					return e.since(m, o, m.reword(l))
				}
			}
			return Case{}, false
		}},
		{"another number", "a number is another one", func(m *maker) (Case, bool) {
			return m.edit().differing(m, func(l string) string {
				at := number.FindAllStringIndex(l, -1)
				if len(at) == 0 {
					return l
				}
				i := one(m, at...)
				return l[:i[0]] + one(m, l[i[0]:i[1]]+"0", "3", "41", "1"+l[i[0]:i[1]]) + l[i[1]:]
			})
		}},
		{"another operator", "an operator is another one", func(m *maker) (Case, bool) {
			return m.edit().differing(m, func(l string) string {
				swaps := []string{"==", "!=", "!=", "==", "<=", "<", ">=", ">", " < ", " <= ", " > ", " >= ", "&&", "||", "||", "&&", " + ", " - ", " - ", " + ", " * ", " / ", "+=", "-=", ":=", "=", "->", "=>", " = ", " == ", ": ", " = "}
				at := m.rand.IntN(len(swaps)/2) * 2
				return strings.Replace(l, swaps[at], swaps[at+1], 1)
			})
		}},
		{"another name", "a name is that of a sibling: all of it in old", func(m *maker) (Case, bool) {
			e := m.edit()
			w, to := one(m, word.FindAllString(e.old()+" xyz", -1)...), one(m, word.FindAllString(e.text, -1)...)
			return e.refused(e.text, m.loosely(replaceWord(e.old(), w, to)), m.loosely(replaceWord(e.new(), w, to)))
		}},
		{"nearly the name", "a name has a prefix, a suffix or another ending, as names of siblings have", func(m *maker) (Case, bool) {
			e := m.edit()
			w := one(m, word.FindAllString(e.old()+" xyz", -1)...)
			to := one(m, w+"s", strings.TrimSuffix(w, "s"), w+"2", "new_"+w, w[:len(w)-1], w+"er", strings.ToUpper(w[:1])+w[1:], strings.ToLower(w))
			return e.refused(e.text, replaceWord(e.old(), w, to), replaceWord(e.new(), w, to))
		}},
		{"another word", "a letter of a word is another letter", func(m *maker) (Case, bool) {
			e := m.edit()
			w := one(m, word.FindAllString(e.old()+" xyz", -1)...)
			i := m.rand.IntN(len(w))
			to := w[:i] + one(m, "x", "q", "b", "t") + w[i+1:]
			return e.refused(e.text, replaceWord(e.old(), w, to), replaceWord(e.new(), w, to))
		}},
		{"twice, exactly", "the passage stands in two places", func(m *maker) (Case, bool) {
			e := m.edit()
			return e.refused(e.text+"\n"+e.old(), e.old(), e.new())
		}},
		{"twice, but for white space", "two places differ in white space alone, and neither is quoted exactly", func(m *maker) (Case, bool) {
			e := m.edit()
			var other []string
			for _, l := range e.before() {
				other = append(other, pad(l, e.unit))
			}
			old, new := m.loosely(e.old()), m.loosely(e.new())
			return e.refused(e.text+"\n"+joined(other), old, new)
		}},
		{"twice, garbled", "the passage stands in two places and is quoted with a garbling", func(m *maker) (Case, bool) {
			c, ok := one(m, ways("code fence", "line numbers")...).make(m)
			if !ok {
				return c, false
			}
			c.Text += c.Text
			c.Right, c.Refuse = nil, true
			return c, true
		}},
		{"empty old", "old is empty and the file is not", func(m *maker) (Case, bool) {
			e := m.edit()
			c, ok := e.refused(e.text, "", e.new())
			c.Line = 0
			return c, ok
		}},
		{"a line missing", "old leaves a line in its middle out without saying so", func(m *maker) (Case, bool) {
			e := m.editOf(one(m, samples...), 3)
			i := 1 + m.rand.IntN(len(e.before())-2)
			return e.refused(e.text, joined(slices.Concat(e.before()[:i], e.before()[i+1:])), e.new())
		}},
		{"lines in another order", "two lines of old are swapped", func(m *maker) (Case, bool) {
			e := m.editOf(one(m, samples...), 3)
			old := slices.Clone(e.before())
			i := m.rand.IntN(len(old) - 1)
			old[i], old[i+1] = old[i+1], old[i]
			return e.refused(e.text, joined(old), e.new())
		}},
	}
}

// differing changes one line of old, and of new where that is the same line.
func (e edit) differing(m *maker, f func(string) string) (Case, bool) {
	old, new := slices.Clone(e.before()), slices.Clone(e.after)
	i := m.rand.IntN(len(old))
	was := old[i]
	old[i] = f(was)
	for k, l := range new {
		if l == was {
			new[k] = old[i]
		}
	}
	return e.refused(e.text, m.loosely(joined(old)), m.loosely(joined(new)))
}

// since has line i of the passage changed in the file.
func (e edit) since(m *maker, i int, now string) (Case, bool) {
	lines := slices.Clone(e.lines)
	lines[e.from+i] = now
	return e.refused(joined(lines), m.loosely(e.old()), m.loosely(e.new()))
}

// loosely garbles white space, or nothing.
func (m *maker) loosely(s string) string {
	switch m.rand.IntN(3) {
	case 0:
		return strings.ReplaceAll(s, "\n", "  \n")
	case 1:
		return "\n" + strings.ReplaceAll(s, "\t", "    ") + "\n"
	}
	return s
}

// elision returns a placeholder in the language of the edited file, indented as the
// line beside it.
func (e edit) elision(m *maker, beside string) string {
	open, shut := "//", ""
	switch path.Ext(e.name) {
	case ".py", ".rb", ".sh", ".yaml", ".toml", ".ex", ".mk":
		open = "#"
	case ".txt":
		open = ""
	case ".sql", ".lua", ".hs":
		open = "--"
	case ".css":
		open, shut = "/*", " */"
	case ".html", ".md":
		open, shut = "<!--", " -->"
	}
	return indentOf(beside) + strings.TrimSpace(open+" "+one(m,
		"... rest of the text unchanged ...", "(rest unchanged)", "rest of the text remains the same...", "... rest of the file ...", "... (rest of the text unchanged)", "... existing text ...", "existing content unchanged", "... existing content ...")) + shut
}
