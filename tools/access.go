package tools

import (
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/visible"
)

// Access describes what a command may reach beyond its sandbox. Only the user grants it; no
// tool has a parameter for it. Its last fields are terms on which it runs and open nothing.
type Access struct {
	Network bool     // all of it
	Hosts   []string // by HTTP and HTTPS only
	Write   []string // absolute
	Read    []string // absolute
	Outside bool     // everything: it runs without a sandbox

	// Unasked: no rule, mode or answer allowed the command; it runs because the sandbox
	// holds it. What decides what may run, and what later sessions read, stays as it is.
	Unasked bool
	// Untrusted: the model has read untrusted content since the user's last message.
	Untrusted bool
	// Closed: no host of the settings is open to it, only those of this access.
	Closed bool
	// Keeps: the workspace stays as it was but for folders of builds and caches.
	Keeps    bool
	Verbatim bool // the command runs as it was given, and not in its canonical form
}

// IsZero reports whether w adds nothing.
func (w Access) IsZero() bool {
	return !w.Network && len(w.Hosts) == 0 && len(w.Write) == 0 && len(w.Read) == 0 && !w.Outside
}

// Union returns what either opens, on the stricter of their terms, in the form of w.
func (w Access) Union(o Access) Access {
	return Access{
		w.Network || o.Network, slices.Concat(w.Hosts, o.Hosts), slices.Concat(w.Write, o.Write), slices.Concat(w.Read, o.Read), w.Outside || o.Outside,
		w.Unasked || o.Unasked, w.Untrusted || o.Untrusted, w.Closed || o.Closed, w.Keeps || o.Keeps, w.Verbatim,
	}
}

// Adds reports whether w opens anything that o does not.
func (w Access) Adds(o Access) bool {
	return w.Network && !o.Network || hasOthers(w.Hosts, o.Hosts) || hasOthers(w.Write, o.Write) || hasOthers(w.Read, o.Read) || w.Outside && !o.Outside
}

func hasOthers(to, from []string) bool {
	return slices.ContainsFunc(to, func(s string) bool { return !slices.Contains(from, s) })
}

// String lists the access on one line, with hidden characters escaped.
func (w Access) String() string {
	var l []string
	if w.Network {
		l = append(l, "the network")
	}
	if w.Outside {
		l = append(l, "running outside the sandbox")
	}
	for _, h := range w.Hosts {
		l = append(l, "the host "+visible.Name(h))
	}
	for _, p := range w.Write {
		l = append(l, "writing "+visible.Name(p))
	}
	for _, p := range w.Read {
		l = append(l, "reading "+visible.Name(p))
	}
	return strings.Join(l, ", ")
}
