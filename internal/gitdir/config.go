package gitdir

import "strings"

// A Setting is one entry of a git configuration file.
type Setting struct {
	Section, Sub, Key string // section and key are lower case
	Named             bool   // the section has a subsection, which may be empty
	Value             string
}

// Name returns the full name as git prints it.
func (s Setting) Name() string {
	switch {
	case s.Named:
		return s.Section + "." + s.Sub + "." + s.Key
	case s.Section == "":
		return s.Key
	}
	return s.Section + "." + s.Key
}

// Text formats settings as a git configuration file.
func Text(settings []Setting) string {
	var b strings.Builder
	for _, s := range settings {
		if b.WriteString("[" + s.Section); s.Named {
			b.WriteString(` "` + quoting.Replace(s.Sub) + `"`)
		}
		b.WriteString("]\n\t" + s.Key + ` = "` + quotingValue.Replace(s.Value) + "\"\n")
	}
	return b.String()
}

var (
	quoting      = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	quotingValue = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`)
)

// ParseConfig parses a git configuration as git does. It may also return
// settings from a text that git rejects.
func ParseConfig(text string) []Setting {
	c := config{rest: strings.TrimPrefix(text, "\ufeff")}
	var l []Setting
	for c.rest != "" {
		switch b := c.next(); {
		case b == '#' || b == ';':
			c.skipLine()
		case isSpace(b):
		case b == '[':
			c.header()
		default:
			key := c.key(b)
			value, given := c.value()
			if !given {
				value = "true"
			}
			l = append(l, Setting{c.section, c.sub, strings.ToLower(key), c.named, value})
		}
	}
	return l
}

// config is the unread rest of a configuration, and the current section.
type config struct {
	rest         string
	section, sub string
	named        bool // there is a subsection
}

// next consumes a character. Any newline, and the end of the text, is '\n'.
func (c *config) next() byte {
	if c.rest == "" {
		return '\n'
	}
	b := c.rest[0]
	if strings.HasPrefix(c.rest, "\r\n") {
		b, c.rest = '\n', c.rest[1:]
	}
	c.rest = c.rest[1:]
	return b
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

func (c *config) skipLine() {
	_, c.rest, _ = strings.Cut(c.rest, "\n")
}

// header parses the name of a section: [section], [section.sub] or [section
// "sub"].
func (c *config) header() {
	var name strings.Builder
	for {
		b := c.next()
		switch {
		case b == ']' || b == '\n':
			c.section, c.sub, c.named = strings.Cut(strings.ToLower(name.String()), ".")
			return
		case isSpace(b):
		case b == '"':
			c.section, c.sub, c.named = strings.ToLower(name.String()), c.quoted(), true
			for b != ']' && b != '\n' {
				b = c.next()
			}
			return
		default:
			name.WriteByte(b)
		}
	}
}

// quoted parses a subsection's name up to its closing quote.
func (c *config) quoted() string {
	var s strings.Builder
	for {
		switch b := c.next(); b {
		case '"', '\n':
			return s.String()
		case '\\':
			s.WriteByte(c.next())
		default:
			s.WriteByte(b)
		}
	}
}

// key parses the rest of a setting's name.
func (c *config) key(first byte) string {
	name := []byte{first}
	for c.rest != "" && c.rest[0] != '=' && !isSpace(c.rest[0]) {
		name = append(name, c.next())
	}
	return string(name)
}

// value parses the value, if any, and the end of the line.
func (c *config) value() (value string, given bool) {
	c.rest = strings.TrimLeft(c.rest, " \t")
	if !strings.HasPrefix(c.rest, "=") {
		c.skipLine()
		return "", false
	}
	c.next()
	var s strings.Builder
	quoted, gaps := false, 0 // white space that counts if something follows
	for {
		b := c.next()
		switch {
		case b == '\n':
			return s.String(), true
		case !quoted && isSpace(b):
			if s.Len() > 0 {
				gaps++
			}
			continue
		case !quoted && (b == '#' || b == ';'):
			c.skipLine()
			return s.String(), true
		}
		s.WriteString(strings.Repeat(" ", gaps))
		gaps = 0
		switch b {
		case '\\':
			s.WriteString(c.escaped())
		case '"':
			quoted = !quoted
		default:
			s.WriteByte(b)
		}
	}
}

// escaped parses the character after a backslash in a value.
func (c *config) escaped() string {
	switch b := c.next(); b {
	case '\n':
		return "" // the value continues on the next line
	case 't':
		return "\t"
	case 'n':
		return "\n"
	case 'b':
		return "\b"
	default:
		return string([]byte{b})
	}
}
