package trust

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/emendo-dev/emendo/internal/paths"
)

// State is the user's decision about an entry.
type State int

// The states of an entry. Unless it is [Approved], the user must be asked
// before it starts.
const (
	Unknown  State = iota // the user has not been asked
	Changed               // an entry of this name was approved, and has changed since
	Approved              // exactly this one was approved
)

func (s State) String() string { return [...]string{"unknown", "changed", "approved"}[s] }

// A Look is an entry at one moment, with the files that it names and the user's
// decision about exactly that.
type Look struct {
	Entry
	State   State
	Scripts []string // absolute paths of the files that it names, whose content counts
	Sum     string   // SHA-256 of everything that decides what it does, in hexadecimal; empty after an error
}

// reference matches a variable in a value: $NAME, ${NAME…} or ${env:NAME…}, and braced
// one that has braces.
var (
	reference = regexp.MustCompile(`\$\{?(?:env:)?([A-Za-z_][A-Za-z0-9_]*)`)
	braced    = regexp.MustCompile(`\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)`)
)

// Given returns what of emendo's environment a server gets, for the user: "NAME in
// the header Authorization".
func (l Look) Given() []string {
	if l.Kind != Server {
		return nil
	}
	var given []string
	add := func(variable *regexp.Regexp, text, where string) {
		for _, m := range variable.FindAllStringSubmatch(text, -1) {
			if one := m[1] + " in " + where; m[1] != "workspaceFolder" && !slices.Contains(given, one) {
				given = append(given, one)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(l.Env)) {
		add(reference, l.Env[key], "the variable "+key)
	}
	for _, key := range slices.Sorted(maps.Keys(l.Headers)) {
		add(reference, l.Headers[key], "the header "+key)
	}
	add(braced, l.URL, "its address")
	add(braced, l.Command, "its command")
	for _, a := range l.Args {
		add(braced, a, "its arguments")
	}
	add(braced, l.Dir, "its folder")
	return given
}

// CommandLine returns what would be started, for the user to read: a shell
// command as written, a program with its arguments quoted where necessary, or a
// URL.
func (l Look) CommandLine() string {
	if l.Command == "" {
		return l.URL
	}
	words := []string{l.Command}
	for _, a := range l.Args {
		if a == "" || strings.ContainsFunc(a, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./:=@%+,", r)
		}) {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// An Approval is an entry that the user has approved to be started.
type Approval struct {
	Folder Folder `json:"folder"`
	Kind   Kind   `json:"kind"`
	Name   string `json:"name"`
	Sum    string `json:"sum"` // [Look.Sum]
}

// Approved looks up an entry of a folder. After an error the entry is not
// approved: the decisions or a file that it names cannot be read, or it has too
// many words.
func (s *Store) Approved(dir string, e Entry) (Look, error) {
	look := Look{Entry: e}
	failed := func(err error) (Look, error) {
		return look, fmt.Errorf("look up %s %s: %w", e.Kind, e.Name, err)
	}
	in, err := identify(cmp.Or(e.Home, dir))
	if err != nil {
		return failed(err)
	}
	scripts, err := e.scripts(in.Path, nil)
	if err != nil {
		return failed(err)
	}
	for _, c := range scripts {
		look.Scripts = append(look.Scripts, c.path)
	}
	look.Sum = e.sum(scripts)
	if e.Outside && e.Home == "" && slices.ContainsFunc(look.Scripts, func(s string) bool { return paths.Within(s, in.Path) }) {
		look.Unseen = cmp.Or(e.Unseen, "it runs outside the sandbox, where files of the folder can be changed after they were checked")
	}
	d, err := s.decided()
	if err != nil {
		return failed(err)
	}
	for _, a := range d.Approved {
		switch {
		case a.Folder != in || a.Kind != e.Kind || look.Unseen != "":
		case a.Sum == look.Sum:
			look.State = Approved
		case a.Name == e.Name && look.State == Unknown:
			look.State = Changed
		}
	}
	if s.approvedForRun(dir, look) {
		look.State = Approved
	}
	return look, nil
}

// Approve stores that the user approved these entries of a folder in the
// version that was looked at. It replaces earlier approvals of the same names.
// Nothing is stored for entries that may run unknown files. Entries of the user's
// extensions are approved for the folder of the extension.
func (s *Store) Approve(dir string, seen ...Look) error {
	if s.run != nil {
		s.approveForRun(dir, seen)
		return nil
	}
	if i := slices.IndexFunc(seen, func(l Look) bool { return l.Home != "" && l.Home != dir }); i >= 0 {
		return errors.Join(s.Approve(seen[i].Home, seen[i]), s.Approve(dir, slices.Concat(seen[:i], seen[i+1:])...))
	}
	return s.approve(dir, seen, func(a Approval) bool {
		return slices.ContainsFunc(seen, func(l Look) bool { return l.Kind == a.Kind && l.Name == a.Name })
	})
}

// ApproveOnly is [Store.Approve], and removes all other approvals of the
// folder.
func (s *Store) ApproveOnly(dir string, seen ...Look) error {
	return s.approve(dir, seen, func(Approval) bool { return true })
}

func (s *Store) approve(dir string, seen []Look, forget func(Approval) bool) error {
	in, err := identify(dir)
	if err != nil {
		return fmt.Errorf("approve what %s starts: %w", dir, err)
	}
	err = s.change(func(d document) document {
		d.Approved = slices.DeleteFunc(d.Approved, func(a Approval) bool {
			return a.Folder.Path == in.Path && (a.Folder != in || forget(a))
		})
		for _, l := range seen {
			if l.Sum == "" {
				panic("trust: approving an entry that was not looked at")
			}
			if l.Unseen == "" {
				d.Approved = append(d.Approved, Approval{in, l.Kind, l.Name, l.Sum})
			}
		}
		return d
	})
	if err != nil {
		return fmt.Errorf("approve what %s starts: %w", dir, err)
	}
	return nil
}

// Approvals returns what is stored as approved, in all folders.
func (s *Store) Approvals() ([]Approval, error) {
	d, err := s.decided()
	return d.Approved, err
}

// Revoke removes an approval, and reports whether there was one.
func (s *Store) Revoke(gone Approval) (was bool, err error) {
	err = s.change(func(d document) document {
		n := len(d.Approved)
		d.Approved = slices.DeleteFunc(d.Approved, func(a Approval) bool { return a == gone })
		was = len(d.Approved) < n
		return d
	})
	return was, err
}

func compareApprovals(a, b Approval) int {
	return cmp.Or(strings.Compare(a.Folder.Path, b.Folder.Path), strings.Compare(string(a.Kind), string(b.Kind)), strings.Compare(a.Name, b.Name), strings.Compare(a.Sum, b.Sum))
}
