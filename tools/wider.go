package tools

import "strings"

// Wider is what a command may reach beyond its sandbox. It is the user's to
// give: no tool's arguments have a word for it.
type Wider struct {
	Network bool
	Write   []string // absolute
	Read    []string // absolute
}

// None says that it is nothing.
func (w Wider) None() bool { return !w.Network && len(w.Write) == 0 && len(w.Read) == 0 }

// And is both.
func (w Wider) And(o Wider) Wider {
	return Wider{w.Network || o.Network, append(w.Write[:len(w.Write):len(w.Write)], o.Write...), append(w.Read[:len(w.Read):len(w.Read)], o.Read...)}
}

// Adds says whether w holds anything that o does not.
func (w Wider) Adds(o Wider) bool {
	return w.Network && !o.Network || len(missing(w.Write, o.Write)) > 0 || len(missing(w.Read, o.Read)) > 0
}

func missing(all, some []string) []string {
	known := map[string]bool{}
	for _, s := range some {
		known[s] = true
	}
	var l []string
	for _, s := range all {
		if !known[s] {
			l = append(l, s)
		}
	}
	return l
}

// String is the list of it in words, in one line, with nothing in it hidden.
func (w Wider) String() string {
	var l []string
	if w.Network {
		l = append(l, "the network")
	}
	for _, p := range w.Write {
		l = append(l, "writing "+shown(p))
	}
	for _, p := range w.Read {
		l = append(l, "reading "+shown(p))
	}
	return strings.Join(l, ", ")
}
