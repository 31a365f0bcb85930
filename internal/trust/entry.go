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

// Kind is the kind of an entry.
type Kind string

// The kinds of entries.
const (
	Hook      Kind = "hook"
	Server    Kind = "mcp"       // of the Model Context Protocol
	Discovery Kind = "discovery" // a command that lists tools, or calls one
)

// An Entry is something that a folder's own settings would start. Whoever is
// about to start it builds the entry again from what would run, and asks the
// store, so that exactly what was approved runs.
type Entry struct {
	Kind Kind
	// Name identifies the entry among those of its kind in the folder, for the
	// user and to detect changes: a server's name, [HookName], or a setting's
	// key.
	Name    string
	On      string            // the event of a hook
	Command string            // as configured: a shell command (hooks, discovery) or a program (servers)
	Args    []string          // as configured, variables not expanded
	Dir     string            // working directory, absolute; empty: the folder
	Env     map[string]string // added to its environment, variables not expanded
	URL     string            // of a remote server
	Headers map[string]string // of requests to a remote server
	// Means are what the command, working directory and environment variables stand
	// for, where they contain variables, and ArgMeans what each argument does, where
	// any contains one. The files that they name count for an approval; the texts
	// themselves do not.
	Means, ArgMeans []string
	// Sandboxed: a server runs in the sandbox, if there is one. Approval of that does
	// not cover running it outside because the user's settings changed.
	Sandboxed bool
	// Hosts are what a server reaches in the sandbox.
	Hosts []string
	// Private: it starts in a private folder, so only absolute paths name files.
	Private bool

	// Home is the folder of an extension that the user installed. The entry is approved
	// for it, wherever it starts, and the files that it names are relative to it. Empty:
	// it is approved for the folder whose settings name it.
	Home string

	// File is the user's own file that configures it; empty if the folder's settings
	// do. Approval does not depend on it.
	File string

	// By names who configures it, as the beginning of a sentence, if it is neither a file of
	// the user's nor the folder. Approval does not depend on it.
	By string

	// Unseen says why it may run files that cannot be checked beforehand, so
	// that no approval is stored. It is empty if the entry names everything
	// that it runs.
	Unseen  string
	Outside bool // it runs outside the sandbox
}

// HookName returns the name of a hook's entry: its event, the indexes of its
// definition and of the hook in that, and its configured name, if any.
func HookName(event string, definition, hook int, name string) string {
	s := event + " " + strconv.Itoa(definition+1) + "." + strconv.Itoa(hook+1)
	if name != "" {
		s += " (" + name + ")"
	}
	return s
}

// sum returns the hash of everything that decides what the entry does: command,
// arguments, environment and the content of the files that it names. Its name,
// and whether it runs in the sandbox, do not count.
func (e Entry) sum(scripts []script) string {
	h := fields{sha256.New()}
	for _, s := range []string{"emendo entry 1", string(e.Kind), e.On, e.Command, e.Dir, e.URL} {
		h.text(s)
	}
	h.list(e.Args)
	h.table(e.Env)
	h.table(e.Headers)
	if e.Sandboxed { // earlier approvals were of entries without it
		h.text("sandboxed")
	}
	if len(e.Hosts) > 0 {
		h.text("hosts")
		h.list(e.Hosts)
	}
	h.number(len(scripts))
	for _, s := range scripts {
		h.text(s.path)
		h.text(s.sum)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// fields hashes texts so that different sequences have different hashes.
type fields struct{ hash.Hash }

func (h fields) number(n int) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n)) //nolint:gosec // a length
	h.Write(b[:])                               // a hash accepts everything
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
