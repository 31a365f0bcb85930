package trust

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"slices"
	"strconv"
)

// Kind is what an entry is.
type Kind string

// The kinds of entries.
const (
	Hook      Kind = "hook"
	Server    Kind = "mcp"       // of the Model Context Protocol
	Discovery Kind = "discovery" // a command that says which tools there are, or calls one
)

// An Entry is something that a folder's own settings would have started. What
// starts it makes the entry anew from what it is about to start, each time, and
// asks the store: so what was approved is what runs.
type Entry struct {
	Kind Kind
	// Name tells the entry from the others of its kind in the folder, for the
	// user and to notice that it has changed: a server's name, a hook's as
	// [HookName] makes it, a setting's key.
	Name    string
	On      string            // the event that a hook is for
	Command string            // as it is configured: a shell's text (hooks, discovery) or a program (servers)
	Args    []string          // as they are configured, variables not put in
	Dir     string            // where it is started, absolute; empty: in the folder
	Env     map[string]string // what its own configuration adds to its environment, variables not put in
	URL     string            // of a server that is elsewhere
	Headers map[string]string // of requests to it

	// Unseen says why it may run what nobody can look at beforehand: no approval of
	// it is stored. Empty when its words name all that it runs.
	Unseen  string
	Outside bool // the user has it run outside of the sandbox
}

// HookName is the name of a hook's entry: its event, its place among the
// definitions and the hooks of the event, each from zero, and what the user calls
// it, if anything.
func HookName(event string, definition, hook int, name string) string {
	s := event + " " + strconv.Itoa(definition+1) + "." + strconv.Itoa(hook+1)
	if name != "" {
		s += " (" + name + ")"
	}
	return s
}

// sum is the hash of everything that decides what the entry does: command,
// arguments, environment and the bytes of the files that it names. Its name, and
// how the user has it run, do not.
func (e Entry) sum(scripts []script) string {
	h := fields{sha256.New()}
	for _, s := range []string{"emendo entry 1", string(e.Kind), e.On, e.Command, e.Dir, e.URL} {
		h.text(s)
	}
	h.list(e.Args)
	h.table(e.Env)
	h.table(e.Headers)
	h.number(len(scripts))
	for _, s := range scripts {
		h.text(s.path)
		h.text(s.sum)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// fields hashes texts so that no two sequences of them are one.
type fields struct{ hash.Hash }

func (h fields) number(n int) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n)) //nolint:gosec // a length
	h.Write(b[:])                               // a hash takes everything
}

func (h fields) text(s string) {
	h.number(len(s))
	h.Write([]byte(s))
}

func (h fields) list(l []string) {
	h.number(len(l))
	for _, s := range l {
		h.text(s)
	}
}

func (h fields) table(m map[string]string) {
	h.number(len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		h.text(k)
		h.text(m[k])
	}
}
