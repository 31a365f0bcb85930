package sessiontest

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// script is one file of testdata/sessions.
type script struct {
	path    string
	archive *txtar.Archive
	lines   []line
	texts   map[string]bool // sections that verbs name, which are not files of the workspace
	changed bool            // a section was rewritten
}

// line is one verb with its words.
type line struct {
	number int
	verb   string
	rest   string
}

// readScript reads a script and checks what can be checked before it is played.
func readScript(path string) (*script, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &script{path: path, archive: txtar.Parse(b), texts: map[string]bool{"model": true, "commands": true, "web": true}}
	head := string(s.archive.Comment)
	if !strings.HasPrefix(head, "# ") {
		return nil, fmt.Errorf("%s:1: the first line says what is true, as a comment", path)
	}
	n := 0
	for text := range strings.Lines(head) {
		n++
		text = strings.TrimSpace(text)
		if text == "" || text[0] == '#' {
			continue
		}
		l := line{number: n}
		l.verb, l.rest = word(text)
		s.lines = append(s.lines, l)
		if err := s.note(l); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	return s, nil
}

// note checks a verb and marks the section that it names.
func (s *script) note(l line) error {
	if l.verb == "refused" {
		_, rest := word(l.rest)
		l.verb, l.rest = word(rest)
	}
	v, ok := verbs[l.verb]
	if !ok {
		return fmt.Errorf("there is no verb %q", l.verb)
	}
	words := strings.Fields(l.rest)
	if v.section < 0 || v.section >= len(words) {
		return nil
	}
	name := words[v.section]
	if isSubstitution(name) { // instead of a section
		return nil
	}
	if _, ok := s.section(name); !ok && !v.expects {
		return fmt.Errorf("there is no section %q", name)
	}
	s.texts[name] = true
	return nil
}

// word splits a text after its first word.
func word(s string) (first, rest string) {
	first, rest, _ = strings.Cut(strings.TrimSpace(s), " ")
	return first, strings.TrimSpace(rest)
}

// section returns the text of a section.
func (s *script) section(name string) (string, bool) {
	i := slices.IndexFunc(s.archive.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		return "", false
	}
	return meant(string(s.archive.Files[i].Data)), true
}

// noEnd ends a section whose text has no final line end: sections of an archive
// always have one.
const noEnd = "\n\\ No newline at end of file\n"

func meant(section string) string { return strings.TrimSuffix(section, noEnd) }

func written(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + noEnd
}

// files returns the sections that are files of the workspace.
func (s *script) files() map[string]string {
	m := map[string]string{}
	for _, f := range s.archive.Files {
		if !s.texts[f.Name] {
			m[f.Name] = meant(string(f.Data))
		}
	}
	return m
}

// expect compares a text with the section of that name; with -update it writes
// the section instead.
func (s *script) expect(name, got string) error {
	want, ok := s.section(name)
	if ok && got == want {
		return nil
	}
	if !*rewrite {
		return fmt.Errorf("section %s:\n%s", name, difference(want, got))
	}
	s.changed = true
	if !ok {
		s.archive.Files = append(s.archive.Files, txtar.File{Name: name})
	}
	for i := range s.archive.Files {
		if s.archive.Files[i].Name == name {
			s.archive.Files[i].Data = []byte(written(got))
		}
	}
	return nil
}

// save writes the script back if a section was rewritten.
func (s *script) save() error {
	if !s.changed {
		return nil
	}
	return os.WriteFile(s.path, txtar.Format(s.archive), 0o644)
}

// blocks returns the parts of a section between lines of four hyphens.
func blocks(text string) [][]string {
	var all [][]string
	var now []string
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		switch {
		case l == "----":
			all, now = append(all, now), nil
		case strings.TrimSpace(l) != "" && l[0] != '#':
			now = append(now, l)
		}
	}
	if len(now) > 0 || len(all) > 0 {
		all = append(all, now)
	}
	return all
}
