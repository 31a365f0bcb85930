package matchtest

import (
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// understood returns the ways to garble that leave the edit clear.
func understood() []Class {
	return []Class{
		{"exact", "nothing is garbled", func(m *maker) (Case, bool) { e := m.edit(); return e.right(e.old(), e.new()) }},
		{"no line end", "the last line of both is quoted without its end", func(m *maker) (Case, bool) {
			e := m.edit()
			return e.right(strings.TrimSuffix(e.old(), "\n"), strings.TrimSuffix(e.new(), "\n"))
		}},
		{"spaces at ends", "lines end in spaces that the file has not", byLine(func(m *maker, _ sample, l string) string { return l + one(m, "", " ", "  ", "\t") })},
		{"spaces inside", "runs of spaces are one, or commas and brackets have other spaces, in all lines but new ones", func(m *maker) (Case, bool) {
			f := one(m,
				func(s string) string { return indentOf(s) + strings.Join(strings.Fields(s), " ") },
				func(s string) string { return strings.ReplaceAll(s, ", ", ",") },
				func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "(", "( "), ")", " )") },
				func(s string) string { return strings.ReplaceAll(s, " = ", "=") })
			return m.edit().mapped(func(l string) string { return indentOf(l) + strings.TrimLeft(f(strings.TrimLeft(l, " \t")), " ") }, false)
		}},
		{"common indent lost", "the indent that all lines have is left out", dedented},
		{"first indent lost", "the first line is quoted from its first letter on; where that is found as it stands, it is replaced literally", firstDedented},
		{"indent deeper", "all lines stand one step deeper", func(m *maker) (Case, bool) {
			e := m.edit()
			return e.mapped(func(l string) string { return pad(l, e.unit) }, true)
		}},
		{"other indent", "tabs for spaces, spaces for tabs, or steps of another width", reindented},
		{"all indent lost", "every line is flush left, and so may new lines be that belong deeper: refusing is right too", func(m *maker) (Case, bool) {
			e := m.edit()
			c, ok := e.mapped(func(l string) string { return strings.TrimLeft(l, " \t") }, true)
			c.Refuse = true
			return c, ok
		}},
		{"blank lines at edges", "blank lines before and after both", func(m *maker) (Case, bool) {
			e := m.edit()
			a, b := strings.Repeat("\n", m.rand.IntN(3)), strings.Repeat("\n", 1+m.rand.IntN(2))
			c, ok := e.right(a+e.old()+b, a+e.new()+b)
			return c, ok && !strings.Contains(e.text, c.Old)
		}},
		{"blank lines dropped", "blank lines inside are left out of both; beside one that is left out only lines that stay", func(m *maker) (Case, bool) {
			e := m.editOf(one(m, samples...), 4)
			if !slices.ContainsFunc(e.before(), blank) || e.changesBesideBlank() {
				return Case{}, false
			}
			drop := func(lines []string) string { return joined(slices.DeleteFunc(slices.Clone(lines), blank)) }
			return e.right(drop(e.before()), drop(e.after))
		}},
		{"blank lines added", "a blank line inside both where the file has none, between lines that stay", func(m *maker) (Case, bool) {
			e := m.editOf(one(m, samples...), 3)
			for i := 1; i < len(e.after); i++ {
				a, b := e.origin[i-1], e.origin[i]
				if a < 0 || b != a+1 || blank(e.after[i]) || blank(e.after[i-1]) || e.after[i-1] != e.before()[a] || e.after[i] != e.before()[b] {
					continue
				}
				return e.right(joined(slices.Insert(slices.Clone(e.before()), b, "")), joined(slices.Insert(slices.Clone(e.after), i, "")))
			}
			return Case{}, false
		}},
		{"curly quotes", "straight quotes of both are curly", typographic(`"`, "\u201c", "'", "\u2019")},
		{"curly quotes in pairs", "quotes open and close", func(m *maker) (Case, bool) {
			e := m.edit()
			c, ok := e.mapped(curly, true)
			return c, ok && strings.Count(c.Old, "\u201c") > 0 && strings.Contains(e.old(), `"`)
		}},
		{"long dashes", "two hyphens of both are a long dash", typographic("--", "\u2014")},
		{"dashes", "hyphens of both are dashes or minus signs", func(m *maker) (Case, bool) {
			return typographic("-", one(m, "\u2013", "\u2212", "\u2010"))(m)
		}},
		{"straight quotes", "the file's curly quotes and dashes are quoted straight, in all lines but new ones", func(m *maker) (Case, bool) {
			straight := strings.NewReplacer("\u201c", `"`, "\u201d", `"`, "\u2019", "'", "\u2013", "-")
			c, ok := m.editOf(sampleNamed("guide.md"), 1).mapped(straight.Replace, false)
			return c, ok && c.Old != straight.Replace(c.Text) && straight.Replace(c.Text) != c.Text && !strings.Contains(c.Text, c.Old)
		}},
		{"no-break spaces", "spaces of both are no-break spaces", byLine(func(m *maker, _ sample, l string) string {
			indent := indentOf(l)
			if indent == l {
				return l
			}
			if m.rand.IntN(2) == 0 && !strings.Contains(indent, "\t") {
				indent = strings.ReplaceAll(indent, " ", "\u00a0")
			}
			return indent + strings.ReplaceAll(l[len(indentOf(l)):], " ", "\u00a0")
		})},
		{"normal form", "letters with accents are written in the other normal form", otherForm},
		{"code fence", "both, or old alone, are in a code fence", func(m *maker) (Case, bool) {
			e := m.edit()
			wrap := func(s string) string { return one(m, "```", "```go", "```python", "~~~") + "\n" + s }
			old, new := wrap(e.old())+"```\n", e.new()
			if strings.HasPrefix(old, "~") {
				old = strings.TrimSuffix(old, "```\n") + "~~~"
			}
			if m.rand.IntN(3) > 0 {
				new = "```\n" + new + "```"
			}
			return e.right(old, new)
		}},
		{"code fence around old", "old is in a code fence, and new ends without a line end", func(m *maker) (Case, bool) {
			e := m.edit()
			return e.right("```\n"+e.old()+"```", strings.TrimSuffix(e.new(), "\n"))
		}},
		{"code fence around part", "both are in a code fence, and a part of a line", func(m *maker) (Case, bool) {
			c, ok := partOfLines(m)
			if !ok || strings.ContainsAny(c.Old+c.New, "\n`") || strings.TrimSpace(c.Old) != c.Old || len(c.Old) < 8 || strings.Count(c.Text, c.Old) != 1 {
				return Case{}, false
			}
			c.Old, c.New = "```\n"+c.Old+"\n```", "```\n"+c.New+"\n```"
			return c, true
		}},
		{"line numbers", "both, or old alone, have a reader's line numbers", numberedLines},
		{"bars", "a bar before each of two lines or more: one alone could be a pipe", func(m *maker) (Case, bool) {
			return m.editOf(one(m, samples...), 2).mapped(func(l string) string { return strings.TrimRight("| "+l, " ") }, true)
		}},
		{"diff marks", "lines begin as in a unified diff", func(m *maker) (Case, bool) {
			e := m.edit()
			mark := func(lines []string, with string, kept func(int) bool) string {
				out := slices.Clone(lines)
				for i, l := range out {
					if kept(i) {
						out[i] = " " + l
					} else {
						out[i] = with + l
					}
				}
				return joined(out)
			}
			keptNew := func(i int) bool { o := e.origin[i]; return o >= 0 && e.before()[o] == e.after[i] }
			keptOld := func(i int) bool {
				at := slices.Index(e.origin, i)
				return at >= 0 && e.after[at] == e.before()[i]
			}
			c, ok := e.right(mark(e.before(), "-", keptOld), mark(e.after, "+", keptNew))
			return c, ok && strings.Contains("\n"+c.Old, "\n-")
		}},
		{"double escaping", "both, or old alone, are escaped once too often: all of it, or quotes, or backslashes", escapedTwice},
		{"entities", "both are written with HTML entities", func(m *maker) (Case, bool) {
			e := m.edit()
			f := one(m, html.EscapeString, strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace)
			c, ok := e.right(f(e.old()), f(e.new()))
			return c, ok && c.Old != e.old()
		}},
		{"misspelling", "letters of one long word are swapped, lost or doubled", misspelled},
		{"CRLF file", "the file ends its lines with CRLF, the model writes LF", func(m *maker) (Case, bool) {
			c, ok := one(m, ways("exact", "spaces at ends", "common indent lost")...).make(m)
			return withCRLF(c), ok
		}},
		{"CRLF model", "the model writes CRLF, the file has LF", func(m *maker) (Case, bool) {
			e := m.edit()
			return e.right(strings.ReplaceAll(e.old(), "\n", "\r\n"), strings.ReplaceAll(e.new(), "\n", "\r\n"))
		}},
		{"mixed ends", "the file's line ends differ; lines are changed or taken away", mixedEnds},
		{"no end at the end", "the file's last line has no line end, and the passage is there", atTheEnd},
		{"byte order mark", "the text begins with one, and the passage is there", func(m *maker) (Case, bool) {
			e := m.edit()
			if e.from > 0 {
				return Case{}, false
			}
			c, ok := e.right(e.old(), e.new())
			c.Text, c.Right[0] = "\ufeff"+c.Text, "\ufeff"+c.Right[0]
			return c, ok
		}},
		{"changed elsewhere", "another line of the file was changed since it was read", func(m *maker) (Case, bool) {
			e := m.edit()
			at := one(m, e.from-1, e.to)
			if at < 0 || at >= len(e.lines) || blank(e.lines[at]) {
				return Case{}, false
			}
			now := e
			now.lines = slices.Clone(e.lines)
			now.lines[at] = m.reword(now.lines[at])
			now.text = joined(now.lines)
			return now.right(e.old(), e.new())
		}},
		{"part of lines", "the passage begins and ends inside lines, exactly", partOfLines},
		{"uneven indent", "lines are indented by a space more here and there; lines are changed or taken away, none is new", func(m *maker) (Case, bool) {
			e := m.edit()
			c, ok := e.mapped(func(l string) string { return pad(l, one(m, "", " ")) }, true)
			return c, ok && !slices.Contains(e.origin, -1)
		}},
		{"old alone garbled", "old has another indentation, spaces at ends, or typographic quotes, and new is as the file: refusing is right too", func(m *maker) (Case, bool) {
			c, ok := one(m, ways("other indent", "common indent lost", "all indent lost", "spaces at ends", "curly quotes")...).make(m)
			c.New, c.Refuse = c.plain, true
			return c, ok
		}},
		{"two garblings", "white space and one more: refusing is right too", func(m *maker) (Case, bool) {
			c, ok := one(m, ways("other indent", "common indent lost", "spaces inside", "curly quotes", "blank lines added")...).make(m)
			wrap := one(m,
				func(s string) string { return "```\n" + s + "```\n" },
				func(s string) string { return numberFrom("%d: ", c.Line, s) },
				func(s string) string { return strings.ReplaceAll(s, "\n", "  \n") },
				escapeJSON, html.EscapeString)
			c.Old, c.New, c.Refuse = wrap(c.Old), wrap(c.New), true
			return c, ok
		}},
		{"every place", "the passage stands twice, and all places are meant", func(m *maker) (Case, bool) {
			e := m.edit()
			c, ok := e.right(e.old(), e.new())
			c.Text, c.Right = e.text+e.old(), []string{e.result() + e.new()}
			c.Multiple = true
			return c, ok && count(c.Text, c.Old) == 2
		}},
	}
}

// mapped garbles each line of both, new lines only with all.
func (e edit) mapped(f func(string) string, all bool) (Case, bool) {
	var old, new []string
	for _, l := range e.before() {
		old = append(old, f(l))
	}
	for i, l := range e.after {
		if all || e.origin[i] >= 0 {
			l = f(l)
		}
		new = append(new, l)
	}
	c, ok := e.right(joined(old), joined(new))
	return c, ok && c.Old != e.old()
}

func byLine(f func(*maker, sample, string) string) func(*maker) (Case, bool) {
	return func(m *maker) (Case, bool) {
		e := m.edit()
		return e.mapped(func(l string) string { return f(m, e.sample, l) }, true)
	}
}

func pad(l, with string) string {
	if blank(l) {
		return l
	}
	return with + l
}

func sampleNamed(name string) sample {
	return samples[slices.IndexFunc(samples, func(s sample) bool { return s.name == name })]
}

func escapeJSON(s string) string {
	b, _ := json.Marshal(s) // a string always marshals
	s = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(b))
	return s[1 : len(s)-1]
}

func escapedTwice(m *maker) (Case, bool) {
	e := m.edit()
	f := one(m, escapeJSON, escapeJSON, func(s string) string { return strings.ReplaceAll(s, `"`, `\"`) }, func(s string) string { return strings.ReplaceAll(s, `\`, `\\`) })
	old, new := f(e.old()), f(e.new())
	if m.rand.IntN(4) == 0 && strings.ContainsAny(e.new(), "\n\"") {
		new = e.new()
	}
	c, ok := e.right(old, new)
	return c, ok && old != e.old() && !strings.Contains(e.text, old)
}

func numberedLines(m *maker) (Case, bool) {
	e := m.edit()
	format := one(m, "%d: ", "%d:", "%6d\t", "L%d: ", "%d | ", "%4d→", "%d\t")
	old, new := numberFrom(format, e.line(), e.old()), e.new()
	if m.rand.IntN(4) > 0 {
		new = numberFrom(format, e.line(), new)
	}
	return e.right(old, new)
}

func numberFrom(format string, no int, s string) string {
	var b strings.Builder
	for l := range strings.Lines(s) {
		b.WriteString(fmt.Sprintf(format, no) + l)
		no++
	}
	return b.String()
}

func otherForm(m *maker) (Case, bool) {
	s := one(m, samples...)
	w := one(m, word.FindAllString(s.text, -1)...)
	accented := strings.NewReplacer("a", "ä", "e", "é", "o", "ô").Replace(w)
	form, other := norm.NFC, norm.NFD
	if m.rand.IntN(2) == 0 {
		form, other = other, form
	}
	s.text = form.String(strings.ReplaceAll(s.text, w, accented))
	e := m.editOf(s, 1)
	return e.mapped(other.String, true)
}

// ways returns classes by name.
func ways(names ...string) []Class {
	return slices.DeleteFunc(understood(), func(c Class) bool { return !slices.Contains(names, c.Name) })
}

// curly replaces the double quotes of a line by opening and closing ones in turn.
func curly(l string) string {
	parts := strings.Split(l, `"`)
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteString([]string{"\u201d", "\u201c"}[i%2])
		}
		b.WriteString(p)
	}
	return b.String()
}
