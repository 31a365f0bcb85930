package profile

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/internal/paths"
)

// Signs in the output of programs that the kernel denied them a file or the network, besides
// the messages of the C library: phrases in lower case and error names in upper case.
var networkSigns = []string{
	"could not resolve host", "temporary failure in name resolution", "name or service not known", "network is unreachable", "no route to host",
	"getaddrinfo", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "ETIMEDOUT", "ECONNREFUSED", "failed to lookup address", "unable to resolve host", "nodename nor servname",
	"dial tcp", "server misbehaving", "could not connect to server", "failed to connect to", "couldn't connect to", "unable to access 'http", "socket: operation not permitted",
	"proxyconnect tcp", "from proxy after connect", "emendo: network access to",
}

// ownServer matches a message about a server of loopback: what does not answer there is not
// there, and nothing more could be opened.
var ownServer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|::1)(?:[ :]+(?:port )?[0-9]{1,5})?\b.*refused|refused.*(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[?::1\]?)|(?:failed to |could(?: not|n't) )connect to (?:server )?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|::1|\[::1\])`)
})

// lastLooked is how much of the end of an output is searched, in bytes. mostDenied
// bounds the number of paths.
const (
	lastLooked = 16 << 10
	mostDenied = 5
)

// Denials are what a sandbox denied a command. Hosts and Names are known; the rest is what
// its output suggests.
type Denials struct {
	Hosts   []string // that it asked its outlet for
	Names   []string // of hosts that it looked for in another way
	Network bool     // it seems to have tried an address, or nobody could see what it tried
	Write   []string // it seems to have failed to write, absolute
	Read    []string // it seems to have failed to read, absolute
}

// Denied returns what the output of a failed command suggests that it was denied, at a level.
// It includes only what the profile does deny there and the user could have done, and never
// secrets in the home folder or private folders: a program can print anything.
func (p Profile) Denied(output, dir string, level Level) Denials {
	if len(output) > lastLooked {
		output = output[len(output)-lastLooked:]
	}
	var w Denials
	var before lines
	for line := range strings.Lines(output) {
		s := signsIn(line)
		w.Network = w.Network || !p.Network.All && showsNetwork(line)
		if s != (signs{}) {
			named := pathsIn(line, dir)
			if len(named) == 0 { // some programs give the reason in lines of its own
				line = before.failing()
				named = pathsIn(line, dir)
			}
			for _, path := range named {
				switch p, a := p.askFor(path, s, level, line, before); a {
				case MayWrite:
					w.Write = append(w.Write, p)
				case MayNotRead, MayNotChange: // permission is not offered
				case MayRead:
					w.Read = append(w.Read, p)
				}
			}
		}
		before.add(line)
	}
	for _, l := range []*[]string{&w.Write, &w.Read} {
		slices.Sort(*l)
		*l = slices.Compact(*l)
		*l = (*l)[:min(len(*l), mostDenied)]
	}
	return w
}

// lines are the last lines before one, the newest last.
type lines [4]string

func (l *lines) add(line string) { *l = lines{l[1], l[2], l[3], line} }

// failing returns the newest line that says that something failed; empty if none does.
func (l *lines) failing() string {
	for _, line := range slices.Backward(l[:]) {
		if fails().MatchString(line) {
			return line
		}
	}
	return ""
}

var fails = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:failed to|could not|couldn't|cannot|can't|unable to)\b`)
})

// showsNetwork reports whether a line shows that the network was missing.
func showsNetwork(line string) bool {
	return (holdsAny(line, networkSigns) || hasMessage(line, unreachable)) && !ownServer().MatchString(line)
}

// signs are the errors that a line is about.
type signs struct {
	readOnly bool // what is there cannot be changed
	refused  bool // the right to do it is missing
	missing  bool // the file does not exist; a hidden one does not
}

func signsIn(line string) signs {
	return signs{
		readOnly: hasMessage(line, readOnly, "EROFS", "ReadOnlyFilesystem") || hasMessage(line, busy, "EBUSY"),
		refused:  hasMessage(line, denied, "EACCES") || hasMessage(line, notPermitted, "EPERM"),
		missing:  hasMessage(line, missing, "ENOENT", "Directory nonexistent", "could not create leading directories"), // the last two of dash and git
	}
}

// hasMessage reports whether a line has a message of the C library in any language, or one of the
// names of the error.
func hasMessage(line, message string, names ...string) bool {
	if slices.ContainsFunc(names, func(name string) bool { return strings.Contains(line, name) }) {
		return true
	}
	lower := strings.ToLower(line)
	return strings.Contains(lower, strings.ToLower(message)) || holdsAny(line, translations()[message])
}

func holdsAny(line string, signs []string) bool {
	lower := strings.ToLower(line)
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(lower, sign) || strings.Contains(line, sign) })
}

// askFor returns the path and the access to request for a path that a line with signs names:
// [MayRead] or [MayWrite], or another access if the profile does not deny it or permission
// must not be offered. before are the lines before.
func (p Profile) askFor(path string, s signs, level Level, line string, before lines) (string, access) {
	real := paths.Resolve(path)
	if p.private(real) || paths.WithinAny(real, systemSecrets) || paths.WithinAny(real, []string{"/proc", "/dev", "/sys"}) {
		return "", MayNotRead
	}
	// A view of the command's own has only what may be used, read-only or not. Otherwise the
	// kernel refuses the rest.
	refused := s.readOnly || level < Isolated && s.refused
	for _, g := range slices.Backward(p.Grants()) {
		if !paths.Within(real, g.Path) {
			continue
		}
		switch g.Access {
		case MayNotChange:
			if !refused {
				return "", MayNotChange
			}
			return g.Path, MayWrite
		case MayNotRead:
			return real, MayRead
		case MayWrite:
			return "", MayNotChange
		case MayRead:
			if !refused {
				return "", MayNotChange
			}
			return p.writable(real)
		}
	}
	switch {
	case paths.WithinAny(real, SystemFolders), level == Isolated && !s.missing && !(s.readOnly && (p.shows(filepath.Dir(real)) || makesFolders().MatchString(line))):
		return "", MayNotChange
	case paths.Exists(real) && !p.broad(real) && (level < Isolated || !s.readOnly):
		if !usable(real, false) {
			return "", MayNotChange
		}
		return real, MayRead // writing is offered next, if reading is not enough
	case !paths.Exists(real) && s.missing && !refused && reads(line, before):
		return "", MayNotChange // it is missing for everybody
	}
	for makesFolders().MatchString(line) && !paths.Exists(filepath.Dir(real)) {
		real = filepath.Dir(real) // those above are to be made too
	}
	return p.writable(real)
}

// makesFolders matches a line of a program that makes a folder.
var makesFolders = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bmkdir|\bmakedirs|\bcreate_dir|\bcreat\w* (?:leading )?director(?:y|ies)`)
})

// shows reports whether a view of the command's own has a folder, since something in it was
// granted: one that is read-only.
func (p Profile) shows(dir string) bool {
	return slices.ContainsFunc(p.Grants(), func(g Grant) bool { return paths.Within(g.Path, dir) })
}

// reader matches the beginning of a message of a program that only reads what it names, or a
// system call that only looks.
var reader = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[\s/])(?:cat|ls|head|tail|less|more|wc|nl|od|xxd|stat|file|find|grep|rg|sed|awk|gawk|sort|uniq|cut|diff|cmp|du|df|tree|readlink|realpath|md5sum|sha[0-9]+sum|jq|python[0-9.]*|node|source|cd|pushd|chdir|cc1|gcc|g\+\+|clang|ld|make|cargo|rustc)(?:: |\[)|\b(?:stat|lstat|scandir|access|readlink|chdir|opendir|unlink|rmdir|fork/exec|spawn|can't open file|cannot find|fatal error)\b`)
})

// writer matches a line of a program that creates a file.
var writer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:creat\w*|touch\w*|mkdir\w*|makedirs|mkstemp|writ\w*|renam\w*|copyfile|symlink|output|sav(?:e|ing)\w*|to_csv|dump)\b|\bopen\(.*['"][waxr]b?\+?t?['"]|\b(?:cp|mv|install|tee|ln):`)
})

// reads reports whether a line about a file that exists for nobody is from a program that
// wanted to read it, as far as that can be told. The lines before may be those of the source.
func reads(line string, before lines) bool {
	if writer().MatchString(line) {
		return false
	}
	if reader().MatchString(line) {
		return true
	}
	return strings.Contains(line, "FileNotFoundError") && !slices.ContainsFunc(before[:], func(s string) bool { return writer().MatchString(s) })
}

// writable returns the path to request write access for: the path, or the folder to
// create it in.
func (p Profile) writable(path string) (string, access) {
	if !paths.Exists(path) {
		path = filepath.Dir(path)
	}
	if !paths.Exists(path) || p.broad(path) || !usable(path, true) {
		return "", MayNotChange
	}
	return path, MayWrite
}

// broad reports whether a path contains too much to offer permission for.
func (p Profile) broad(path string) bool {
	return strings.Count(path, "/") < 2 || p.Home != "" && paths.Within(p.Home, path) || paths.WithinAny(path, SystemFolders)
}

// private reports whether a path is one of the user's secrets, or private to the
// program.
func (p Profile) private(path string) bool {
	for _, h := range p.Hidden {
		if paths.Within(path, h) && !paths.WithinAny(h, p.Write) {
			return true
		}
	}
	return false
}

// pathsIn returns the paths in a line of output: quoted text, text between colons, and
// words that begin with a slash.
func pathsIn(line, dir string) []string {
	var l []string
	add := func(s string, relative bool) {
		s = strings.TrimRight(strings.TrimSpace(s), ".,;:)")
		switch {
		case s == "" || len(s) > 1024 || strings.ContainsAny(s, "\x00\x1b*?<>|"):
			return
		case slices.Contains(strings.Split(strings.TrimLeft(s, "./"), "/"), ".."):
			return // what is before it may be a link
		case strings.HasPrefix(s, "~/"):
			home, err := os.UserHomeDir()
			if err != nil {
				return
			}
			s = filepath.Join(home, s[2:])
		case strings.Contains(s, "~"):
			return
		}
		if !filepath.IsAbs(s) {
			if !relative || strings.ContainsAny(s, " \t") || strings.Contains(s, "://") || !paths.Exists(filepath.Dir(filepath.Join(dir, s))) {
				return
			}
			s = filepath.Join(dir, s)
		}
		if strings.Count(s, "/") >= 2 {
			l = append(l, filepath.Clean(s))
		}
	}
	for _, quote := range []string{"'", "\"", "`", "‘’", "“”", "„“", "„”", "»«", "«»"} {
		parts := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(quote, r) })
		for i := 1; i < len(parts); i += 2 {
			add(parts[i], true)
		}
	}
	fields := strings.Split(strings.TrimSpace(line), ": ")
	for i, f := range fields {
		add(f, i > 0 && i < len(fields)-1)
		if words := strings.Fields(f); len(words) > 1 {
			for _, w := range words {
				if strings.HasPrefix(w, "/") {
					add(w, false)
				}
			}
			add(words[len(words)-1], i < len(fields)-1) // "open x: permission denied"
		}
	}
	return l
}
