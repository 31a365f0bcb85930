package tools

import (
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/visible"
)

// A Wall lists what a command met at its sandbox. Hosts and Names are known; its output
// suggests the rest.
type Wall struct {
	Hosts   []string // that it asked for by HTTP or HTTPS
	Names   []string // of hosts that it looked for in another way
	Network bool     // it seems to have tried an address
	Write   []string // it seems to have failed to write, absolute
	Read    []string // it seems to have failed to read, absolute
}

// None reports whether nothing was met.
func (w Wall) None() bool { return w.Lacked().IsZero() }

// Lacked returns the access that the command lacked: as little as may do. Hosts alone are
// enough for what was asked for by HTTP, whatever else was looked for on the way.
func (w Wall) Lacked() Access {
	return Access{Hosts: w.Hosts, Network: len(w.Hosts) == 0 && (w.Network || len(w.Names) > 0), Write: w.Write, Read: w.Read}
}

// String says in a sentence what was met, with hidden characters escaped.
func (w Wall) String() string {
	var l []string
	if len(w.Hosts) > 0 {
		l = append(l, "it asked for "+enumerated("host", w.Hosts))
	}
	if len(w.Names) > 0 {
		l = append(l, "it looked for "+enumerated("host", w.Names)+" other than by HTTP")
	}
	if w.Network && len(w.Hosts)+len(w.Names) == 0 {
		l = append(l, "perhaps it tried to reach an address")
	}
	if len(w.Write) > 0 {
		l = append(l, "perhaps it could not write "+enumerated("", w.Write))
	}
	if len(w.Read) > 0 {
		l = append(l, "perhaps it could not read "+enumerated("", w.Read))
	}
	return strings.Join(l, ", and ")
}

// enumerated returns names with their noun: "the host a", "the hosts a and b".
func enumerated(noun string, names []string) string {
	l := slices.Clone(names)
	for i, n := range l {
		l[i] = visible.Name(n)
	}
	text := l[0]
	if n := len(l); n > 1 {
		text = strings.Join(l[:n-1], ", ") + " and " + l[n-1]
		noun += "s"
	}
	if noun == "" || noun == "s" {
		return text
	}
	return "the " + noun + " " + text
}
