package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// How programs say that the kernel kept them from a file, or from the network:
// words in lower case, and names of errors in upper case.
var (
	refusedSigns = []string{"read-only file system", "permission denied", "operation not permitted", "device or resource busy", "EROFS", "EACCES", "EPERM", "EBUSY"}
	missingSigns = []string{"no such file or directory", "ENOENT"} // what is hidden is missing

	networkSigns = []string{
		"could not resolve host", "temporary failure in name resolution", "name or service not known", "network is unreachable", "no route to host",
		"getaddrinfo", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "ETIMEDOUT", "ECONNREFUSED", "failed to lookup address", "unable to resolve host", "nodename nor servname",
		"dial tcp", "server misbehaving", "could not connect to server", "failed to connect to", "couldn't connect to", "unable to access 'http", "socket: operation not permitted",
		"proxyconnect tcp", "from proxy after connect", "the network is off but for the hosts",
	}
)

// How much of an output is looked at, from its end, and how many paths are
// asked for at most.
const (
	lastLooked = 16 << 10
	mostDenied = 5
)

// Denied is what a command that failed seems to have been kept from, going by
// what it printed. Only what the profile does keep from it counts, and never
// the user's secrets or emendo's own files: a program can print what it likes.
func (p Profile) Denied(output, dir string) Wider {
	if len(output) > lastLooked {
		output = output[len(output)-lastLooked:]
	}
	var w Wider
	for line := range strings.Lines(output) {
		if !p.Network.All && holdsAny(line, networkSigns) {
			w.Network.All = true
		}
		refused, missing := holdsAny(line, refusedSigns), holdsAny(line, missingSigns)
		if !refused && !missing {
			continue
		}
		for _, path := range pathsIn(line, dir) {
			switch p, a := p.askFor(path, refused); a {
			case mayWrite:
				w.Write = append(w.Write, p)
			case mayNotRead, mayNotChange: // there is no leave to be had
			case mayRead:
				w.Read = append(w.Read, p)
			}
		}
	}
	if hosts := p.refused.list(); len(hosts) > 0 {
		w.Network = Network{Hosts: hosts}
	}
	for _, l := range []*[]string{&w.Write, &w.Read} {
		slices.Sort(*l)
		*l = slices.Compact(*l)
		*l = (*l)[:min(len(*l), mostDenied)]
	}
	return w
}

func holdsAny(line string, signs []string) bool {
	lower := strings.ToLower(line)
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(lower, sign) || strings.Contains(line, sign) })
}

// askFor is what leave would be needed for to reach a path, and whether to read
// or to write it; neither when the profile does not keep it from a command, or
// nobody should give leave for it. refused says that the path was found, and
// could not be used.
func (p Profile) askFor(path string, refused bool) (string, access) {
	real := resolved(path)
	if p.private(real) || underAny(real, systemSecrets) || underAny(real, []string{"/proc", "/dev", "/sys"}) {
		return "", mayNotRead
	}
	for _, g := range slices.Backward(p.grants()) {
		if !below(real, g.path) {
			continue
		}
		switch g.access {
		case mayNotChange:
			return g.path, mayWrite
		case mayNotRead:
			return real, mayRead
		case mayWrite:
			return "", mayNotChange
		case mayRead:
			if !refused {
				return "", mayNotChange
			}
			return p.writable(real)
		}
	}
	if underAny(real, systemFolders) {
		return "", mayNotChange
	}
	if exists(real) && !p.broad(real) {
		return real, mayRead // and to write it, when that is not enough
	}
	return p.writable(real)
}

// writable is what leave to write is needed for: the path, or the folder to
// make it in.
func (p Profile) writable(path string) (string, access) {
	if !exists(path) {
		path = filepath.Dir(path)
	}
	if !exists(path) || p.broad(path) {
		return "", mayNotChange
	}
	return path, mayWrite
}

// broad says whether a path holds too much to give leave for.
func (p Profile) broad(path string) bool {
	return strings.Count(path, "/") < 2 || p.Home != "" && below(p.Home, path) || underAny(path, systemFolders)
}

// private says whether a path is one of the user's secrets, or emendo's own.
func (p Profile) private(path string) bool {
	for _, h := range p.Hidden {
		if below(path, h) && !underAny(h, p.Write) {
			return true
		}
	}
	return false
}

// pathsIn are the paths that a line of output names: what is in quotes, what
// stands alone between colons, and what begins at the root.
func pathsIn(line, dir string) []string {
	var l []string
	add := func(s string, relative bool) {
		s = strings.TrimRight(strings.TrimSpace(s), ".,;:)")
		switch {
		case s == "" || len(s) > 1024 || strings.ContainsAny(s, "\x00\x1b*?<>|"):
			return
		case slices.Contains(strings.Split(s, "/"), ".."):
			return
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
			if !relative || strings.ContainsAny(s, " \t") || strings.Contains(s, "://") || !exists(filepath.Dir(filepath.Join(dir, s))) {
				return
			}
			s = filepath.Join(dir, s)
		}
		if strings.Count(s, "/") >= 2 {
			l = append(l, filepath.Clean(s))
		}
	}
	for _, quote := range []string{"'", "\"", "`", "‘’"} {
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
