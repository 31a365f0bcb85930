package profile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/lazyregexp"
	"github.com/emendo-dev/emendo/internal/paths"
)

// Signs in the output of programs that the kernel denied them a file or the network:
// phrases in lower case and error names in upper case.
var (
	refusedSigns = []string{"read-only file system", "permission denied", "operation not permitted", "device or resource busy", "EROFS", "EACCES", "EPERM", "EBUSY"}
	missingSigns = []string{"no such file or directory", "ENOENT"} // a hidden file does not exist

	networkSigns = []string{
		"could not resolve host", "temporary failure in name resolution", "name or service not known", "network is unreachable", "no route to host",
		"getaddrinfo", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "ETIMEDOUT", "ECONNREFUSED", "failed to lookup address", "unable to resolve host", "nodename nor servname",
		"dial tcp", "server misbehaving", "could not connect to server", "failed to connect to", "couldn't connect to", "unable to access 'http", "socket: operation not permitted",
		"proxyconnect tcp", "from proxy after connect", "emendo: network access to",
	}
)

// ownServer matches a message about a server of loopback: what does not answer there is not
// there, and nothing more could be opened.
var ownServer = lazyregexp.New(`(?i)(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|::1)(?:[ :]+(?:port )?[0-9]{1,5})?\b.*refused|refused.*(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[?::1\]?)|(?:failed to |could(?: not|n't) )connect to (?:server )?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|::1|\[::1\])`)

// lastLooked is how much of the end of an output is searched, in bytes. mostDenied
// bounds the number of paths.
const (
	lastLooked = 16 << 10
	mostDenied = 5
)

// Denials are what a sandbox seems to have denied a command.
type Denials struct {
	Write   []string
	Read    []string
	Network Network
}

// Denied returns what a failed command seems to have been denied, judging by its
// output. It includes only what the profile does deny, and never secrets in the home
// folder or private folders: a program can print anything.
func (p Profile) Denied(output, dir string) Denials {
	if len(output) > lastLooked {
		output = output[len(output)-lastLooked:]
	}
	var w Denials
	for line := range strings.Lines(output) {
		if !p.Network.All && holdsAny(line, networkSigns) && !ownServer.MatchString(line) {
			w.Network.All = true
		}
		refused, missing := holdsAny(line, refusedSigns), holdsAny(line, missingSigns)
		if !refused && !missing {
			continue
		}
		for _, path := range pathsIn(line, dir) {
			switch p, a := p.askFor(path, refused); a {
			case MayWrite:
				w.Write = append(w.Write, p)
			case MayNotRead, MayNotChange: // permission is not offered
			case MayRead:
				w.Read = append(w.Read, p)
			}
		}
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

// askFor returns the path and the access to request for a path: [MayRead] or
// [MayWrite], or another access if the profile does not deny it or permission must not
// be offered. refused says that the path was found, and could not be used.
func (p Profile) askFor(path string, refused bool) (string, access) {
	real := paths.Resolve(path)
	if p.private(real) || paths.WithinAny(real, systemSecrets) || paths.WithinAny(real, []string{"/proc", "/dev", "/sys"}) {
		return "", MayNotRead
	}
	for _, g := range slices.Backward(p.Grants()) {
		if !paths.Within(real, g.Path) {
			continue
		}
		switch g.Access {
		case MayNotChange:
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
	if paths.WithinAny(real, SystemFolders) {
		return "", MayNotChange
	}
	if paths.Exists(real) && !p.broad(real) {
		return real, MayRead // writing is offered next, if reading is not enough
	}
	return p.writable(real)
}

// writable returns the path to request write access for: the path, or the folder to
// create it in.
func (p Profile) writable(path string) (string, access) {
	if !paths.Exists(path) {
		path = filepath.Dir(path)
	}
	if !paths.Exists(path) || p.broad(path) {
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
			if !relative || strings.ContainsAny(s, " \t") || strings.Contains(s, "://") || !paths.Exists(filepath.Dir(filepath.Join(dir, s))) {
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
