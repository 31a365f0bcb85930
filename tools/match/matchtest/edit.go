package matchtest

import (
	"embed"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

//go:embed testdata/files
var files embed.FS

// sample is a file to edit.
type sample struct {
	name string
	unit string // one step of its indentation
	text string // with "\n"
}

var samples = load()

func load() []sample {
	units := map[string]string{}
	for _, ext := range []string{".go", ".c", ".mk"} {
		units[ext] = "\t"
	}
	for _, ext := range []string{".py", ".rs", ".java", ".php", ".sql", ".cs", ".kt", ".swift", ".txt"} {
		units[ext] = "    "
	}
	entries, err := fs.ReadDir(files, "testdata/files")
	if err != nil {
		panic(err) // it is embedded
	}
	var all []sample
	for _, e := range entries {
		text, err := fs.ReadFile(files, "testdata/files/"+e.Name())
		if err != nil {
			panic(err)
		}
		unit, ok := units[path.Ext(e.Name())]
		if !ok {
			unit = "  "
		}
		all = append(all, sample{e.Name(), unit, strings.ReplaceAll(string(text), "\r\n", "\n")})
	}
	return all
}

// edit is a correct edit: the lines of a sample from from up to to, exclusive, become
// those of after.
type edit struct {
	sample
	lines    []string
	from, to int
	after    []string
	origin   []int // of each line of after: the line that it is or was, or -1
}

func (e edit) before() []string { return e.lines[e.from:e.to] }

// old and new return what a perfect model would write.
func (e edit) old() string { return joined(e.before()) }
func (e edit) new() string { return joined(e.after) }

// result returns the text with the edit made.
func (e edit) result() string {
	return joined(slices.Concat(e.lines[:e.from], e.after, e.lines[e.to:]))
}

func (e edit) line() int { return e.from + 1 }

func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// right returns a case whose result is the edit.
func (e edit) right(old, new string) (Case, bool) {
	return Case{File: e.name, Text: e.text, Old: old, New: new, plain: e.new(), Right: []string{e.result()}, Line: e.line()}, true
}

// refused returns a case in which nothing may be changed.
func (e edit) refused(text, old, new string) (Case, bool) {
	return Case{File: e.name, Text: text, Old: old, New: new, Refuse: true, Line: e.line()}, old != new
}

var (
	word    = regexp.MustCompile(`[A-Za-z_]{3,}`)
	number  = regexp.MustCompile(`\b\d+\b`)
	bracket = regexp.MustCompile(`[\[({:]$|^\s*[\])}]|\b(do|then)$`)
	closing = regexp.MustCompile(`^\s*[\])}]`)
	fresh   = []string{"archive", "backlog", "delta", "envelope", "fallback", "ledger", "margin", "origin", "quota", "ticket", "upstream", "vector"}
)

// edit draws an edit of a passage that is unique in its file.
func (m *maker) edit() edit { return m.editOf(one(m, samples...), 1) }

// editOf draws an edit of a sample, in a passage of at least that many lines.
func (m *maker) editOf(s sample, least int) edit {
	lines := strings.Split(strings.TrimSuffix(s.text, "\n"), "\n")
	for {
		size := least + m.rand.IntN(9)
		if size > len(lines) {
			continue
		}
		from := m.rand.IntN(len(lines) - size + 1)
		e := edit{sample: s, lines: lines, from: from, to: from + size}
		if blank(lines[from]) || blank(lines[e.to-1]) || count(s.text, e.old()) != 1 {
			continue
		}
		for i := range e.before() {
			e.after = append(e.after, e.before()[i])
			e.origin = append(e.origin, i)
		}
		if m.change(&e) && e.old() != e.new() && strings.TrimSpace(e.new()) != strings.TrimSpace(e.old()) {
			return e
		}
	}
}

// change draws the change.
func (m *maker) change(e *edit) bool {
	at := m.rand.IntN(len(e.after))
	if blank(e.after[at]) {
		return false
	}
	switch m.rand.IntN(8) {
	case 0, 1:
		e.after[at] = m.reword(e.after[at])
	case 2:
		if !number.MatchString(e.after[at]) {
			return false
		}
		e.after[at] = number.ReplaceAllStringFunc(e.after[at], func(n string) string { return n + one(m, "0", "1", "7") })
	case 3: // new lines as deep as the one before them
		if bracket.MatchString(e.after[at]) {
			return false // a copy of it would not be code
		}
		for range 1 + m.rand.IntN(3) {
			m.insert(e, at+1, m.reword(m.reword(e.after[at])))
		}
	case 4: // a new line and one in it
		indent := indentOf(e.after[at])
		if bracket.MatchString(e.after[at]) && !closing.MatchString(e.after[at]) {
			indent += e.unit
		}
		m.insert(e, at+1, indent+"for (each "+one(m, fresh...)+") {")
		m.insert(e, at+2, indent+e.unit+one(m, fresh...)+" += 1;")
		m.insert(e, at+3, indent+"}")
	case 5:
		if len(e.after) < 2 {
			return false
		}
		end := min(at+1+m.rand.IntN(2), len(e.after))
		e.after, e.origin = slices.Delete(e.after, at, end), slices.Delete(e.origin, at, end)
		return len(e.after) > 0 && !blank(e.after[0]) && !blank(e.after[len(e.after)-1])
	case 6:
		for i := at; i < min(at+3, len(e.after)); i++ {
			e.after[i] = m.reword(e.after[i])
		}
	case 7:
		w := word.FindString(e.after[at])
		if w == "" {
			return false
		}
		whole, to := regexp.MustCompile(`\b`+w+`\b`), one(m, fresh...)
		for i := range e.after {
			e.after[i] = whole.ReplaceAllString(e.after[i], to)
		}
	}
	return true
}

func (m *maker) insert(e *edit, at int, line string) {
	e.after, e.origin = slices.Insert(e.after, at, line), slices.Insert(e.origin, at, -1)
}

// reword replaces a word by another.
func (m *maker) reword(line string) string {
	all := word.FindAllStringIndex(line, -1)
	if len(all) == 0 {
		return line
	}
	at := one(m, all...)
	return line[:at[0]] + one(m, fresh...) + line[at[1]:]
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

func indentOf(s string) string { return s[:len(s)-len(strings.TrimLeft(s, " \t"))] }
