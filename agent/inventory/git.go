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
		if counts, is := runs[name]; is && (strings.Count(name, "*.") == 0) == (e.sub == "") {
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
	value             string
}

func (e entry) name() string {
	if e.sub == "" {
		return e.section + "." + e.key
	}
	return e.section + "." + e.sub + "." + e.key
}

// parseConfig reads git's settings, as git does where it reads them at all; what
// git would refuse may be read as something.
func parseConfig(text string) []entry {
	var l []entry
	var section, sub string
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\\\n", "")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if strings.HasPrefix(line, "[") {
			var rest string
			section, sub, rest = parseHeader(line)
			line = strings.TrimSpace(rest)
		}
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		key, value, given := strings.Cut(line, "=")
		if !given {
			value = "true"
		}
		l = append(l, entry{section, sub, strings.ToLower(strings.TrimSpace(key)), parseValue(value)})
	}
	return l
}

// parseHeader takes a line that begins with a section's name apart.
func parseHeader(line string) (section, sub, rest string) {
	name, quoted, isQuoted := strings.Cut(line[1:], `"`)
	if end := strings.Index(name, "]"); end >= 0 || !isQuoted { // [section] or [section.sub]
		name, rest, _ = strings.Cut(line[1:], "]")
		section, sub, _ = strings.Cut(strings.TrimSpace(name), ".")
		return strings.ToLower(section), sub, rest
	}
	var b strings.Builder
	for i := 0; i < len(quoted); i++ {
		switch c := quoted[i]; {
		case c == '\\' && i+1 < len(quoted):
			i++
			b.WriteByte(quoted[i])
		case c == '"':
			_, rest, _ = strings.Cut(quoted[i:], "]")
			return strings.ToLower(strings.TrimSpace(name)), b.String(), rest
		default:
			b.WriteByte(c)
		}
	}
	return strings.ToLower(strings.TrimSpace(name)), b.String(), ""
}

// parseValue takes quotes, escapes and the comment off a value.
func parseValue(s string) string {
	var b strings.Builder
	quoted, escaped := false, false
	for _, c := range strings.TrimSpace(s) {
		switch {
		case escaped:
			escaped = false
			b.WriteRune(c)
		case c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case (c == '#' || c == ';') && !quoted:
			return strings.TrimSpace(b.String())
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}
