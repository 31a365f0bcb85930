package inventory

import (
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxConfig bounds one of git's settings files, in bytes.
const maxConfig = 256 << 10

// runs are the settings of git that have it start a program, load another file
// of settings or look elsewhere, in lower case, "*" for any subsection. The
// value tells which of their values do; nil: all.
var runs = map[string]func(value string) bool{
	"core.fsmonitor": func(v string) bool { return !slices.Contains([]string{"false", "no", "off", "0"}, strings.ToLower(v)) },
	"core.hookspath": nil, "core.pager": nil, "core.editor": nil, "core.sshcommand": nil, "core.askpass": nil, "core.gitproxy": nil,
	"core.alternaterefscommand": nil, "core.worktree": nil, "core.attributesfile": nil, "pager.*": nil, "sequence.editor": nil,
	"interactive.difffilter": nil, "gpg.program": nil, "gpg.*.program": nil, "credential.helper": nil, "credential.*.helper": nil,
	"filter.*.clean": nil, "filter.*.smudge": nil, "filter.*.process": nil, "diff.external": nil, "diff.*.command": nil, "diff.*.textconv": nil,
	"merge.*.driver": nil, "mergetool.*.cmd": nil, "difftool.*.cmd": nil, "browser.*.cmd": nil, "man.*.cmd": nil, "guitool.*.cmd": nil,
	"trailer.*.command": nil, "trailer.*.cmd": nil, "remote.*.vcs": nil, "remote.*.uploadpack": nil, "remote.*.receivepack": nil,
	"uploadpack.packobjectshook": nil, "init.templatedir": nil, "include.path": nil, "includeif.*.path": nil, "sendemail.*": nil, "http.proxy": nil, "http.*.proxy": nil,
	"alias.*":            func(v string) bool { return strings.HasPrefix(v, "!") },
	"submodule.*.update": func(v string) bool { return strings.HasPrefix(v, "!") },
	"remote.*.url":       isExternal, "remote.*.pushurl": isExternal,
	"protocol.*.allow": func(v string) bool { return v == "always" || v == "user" },
}

// isExternal says that git would have another program fetch from an address.
func isExternal(v string) bool { return strings.Contains(v, "::") }

// git looks into the repository that the folder is in, without git.
func (v *Inventory) git() {
	dir, common := repository(v.Folder)
	if dir == "" {
		return
	}
	for _, file := range slices.Compact([]string{filepath.Join(common, "config"), filepath.Join(dir, "config.worktree")}) {
		text, ok := readSmall(file)
		if !ok {
			continue
		}
		for _, e := range parseConfig(text) {
			if counts, is := runsOf(e); is && (counts == nil || counts(e.value)) {
				v.Git = append(v.Git, Item{"git", v.within(file), e.name() + " = " + e.value})
			}
		}
	}
	hooks, _ := os.ReadDir(filepath.Join(common, "hooks"))
	for _, h := range hooks {
		if info, err := h.Info(); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && path.Ext(h.Name()) != ".sample" {
			v.Git = append(v.Git, Item{What: "git", Path: v.within(filepath.Join(common, "hooks", h.Name()))})
		}
	}
}

// runsOf says whether a setting is one of [runs].
func runsOf(e entry) (counts func(string) bool, is bool) {
	for _, name := range []string{e.section + "." + e.key, e.section + ".*." + e.key, e.section + ".*"} {
		if counts, is := runs[name]; is && (strings.Count(name, "*.") == 0) == !e.named {
			return counts, true
		}
	}
	if e.section == "url" && isExternal(e.sub) { // url.ext::….insteadOf
		return nil, true
	}
	return nil, false
}

// repository finds the settings of the repository that a folder is in: its own
// git folder, and the one that it shares with other work trees. Both are empty
// when it is in none.
func repository(folder string) (dir, common string) {
	for at := folder; ; at = filepath.Dir(at) {
		name := filepath.Join(at, ".git")
		info, err := os.Stat(name)
		switch {
		case err != nil:
		case info.IsDir():
			dir = name
		default:
			text, _ := readSmall(name)
			if target, ok := strings.CutPrefix(strings.TrimSpace(text), "gitdir:"); ok {
				dir = absolute(at, strings.TrimSpace(target))
			}
		}
		if dir != "" {
			break
		}
		if at == filepath.Dir(at) {
			return "", ""
		}
	}
	common = dir
	if text, ok := readSmall(filepath.Join(dir, "commondir")); ok {
		common = absolute(dir, strings.TrimSpace(text))
	}
	return dir, common
}

func absolute(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// readSmall reads a small regular file; false when it is none.
func readSmall(name string) (string, bool) {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > maxConfig {
		return "", false
	}
	f, err := os.Open(name)
	if err != nil {
		return "", false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxConfig))
	return string(b), err == nil
}

// entry is one setting of git's.
type entry struct {
	section, sub, key string // section and key in lower case
	named             bool   // the section has a subsection, be it an empty one
	value             string
}

func (e entry) name() string {
	switch {
	case e.named:
		return e.section + "." + e.sub + "." + e.key
	case e.section == "":
		return e.key
	}
	return e.section + "." + e.key
}

// parseConfig reads git's settings, as git does where it reads them at all; what
// git would refuse may be read as something.
func parseConfig(text string) []entry {
	c := config{rest: strings.TrimPrefix(text, "\ufeff")}
	var l []entry
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
			l = append(l, entry{c.section, c.sub, strings.ToLower(key), c.named, value})
		}
	}
	return l
}

// config is what of git's settings is still to be read, and the section that it
// is in.
type config struct {
	rest         string
	section, sub string
	named        bool // there is a sub
}

// next takes a character; a line's end is one, however it is written, and so is
// the end of the text.
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

// header reads the name of a section: [section], [section.sub] or [section
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

// quoted reads a subsection's name up to its closing quote.
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

// key reads the rest of a setting's name.
func (c *config) key(first byte) string {
	name := []byte{first}
	for c.rest != "" && c.rest[0] != '=' && !isSpace(c.rest[0]) {
		name = append(name, c.next())
	}
	return string(name)
}

// value reads what a setting is set to, if it is given, and its line's end.
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

// escaped reads what stands behind a backslash in a value.
func (c *config) escaped() string {
	switch b := c.next(); b {
	case '\n':
		return "" // the value goes on in the next line
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
