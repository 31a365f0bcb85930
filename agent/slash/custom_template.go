package slash

import (
	"fmt"
	"strings"
)

// template is the parsed prompt of a command.
type template []part

// part is one piece of a prompt: a text, the arguments, the output of a command
// line, or the text of a file.
type part struct {
	kind   partKind
	text   string   // of a text
	inside template // of a command line or a path: texts and arguments
}

type partKind int

const (
	textPart partKind = iota
	argsPart
	shellPart // !{…}
	filePart  // @{…}
)

const argsMark = "{{args}}"

// parseTemplate parses a prompt. Braces inside of !{…} and @{…} are balanced.
func parseTemplate(prompt string) (template, error) {
	var t template
	for rest := prompt; rest != ""; {
		i, kind := next(rest)
		if i < 0 {
			t = append(t, part{kind: textPart, text: rest})
			break
		}
		if i > 0 {
			t = append(t, part{kind: textPart, text: rest[:i]})
		}
		if kind == argsPart {
			t = append(t, part{kind: argsPart})
			rest = rest[i+len(argsMark):]
			continue
		}
		inside, length, ok := braced(rest[i+2:])
		if !ok {
			at := len(prompt) - len(rest) + i
			return nil, fmt.Errorf("the %s at byte %d of the prompt is not closed: braces inside of it must be balanced", rest[i:i+2], at)
		}
		t = append(t, part{kind: kind, inside: arguments(strings.TrimSpace(inside))})
		rest = rest[i+2+length:]
	}
	return t, nil
}

// next returns the index and the kind of the first mark in a text; -1 if it has
// none.
func next(s string) (int, partKind) {
	at, kind := -1, textPart
	for _, m := range []struct {
		mark string
		kind partKind
	}{{argsMark, argsPart}, {"!{", shellPart}, {"@{", filePart}} {
		if i := strings.Index(s, m.mark); i >= 0 && (at < 0 || i < at) {
			at, kind = i, m.kind
		}
	}
	return at, kind
}

// braced returns the text up to the brace that closes the one before it, and the
// length of both.
func braced(s string) (inside string, length int, ok bool) {
	open := 1
	for i := range len(s) {
		switch s[i] {
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				return s[:i], i + 1, true
			}
		}
	}
	return "", 0, false
}

// arguments returns a text divided at the marks of the arguments.
func arguments(s string) template {
	var t template
	for i, text := range strings.Split(s, argsMark) {
		if i > 0 {
			t = append(t, part{kind: argsPart})
		}
		if text != "" {
			t = append(t, part{kind: textPart, text: text})
		}
	}
	return t
}

// has reports whether a part of that kind is in the template, or inside a part of
// it.
func (t template) has(kind partKind) bool {
	for _, p := range t {
		if p.kind == kind || p.inside.has(kind) {
			return true
		}
	}
	return false
}

// withArguments returns the text of a template of texts and arguments.
func (t template) withArguments(args string) string {
	var b strings.Builder
	for _, p := range t {
		if p.kind == argsPart {
			b.WriteString(args)
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}
