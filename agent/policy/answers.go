package policy

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/emendo-dev/emendo/internal/private"
)

// Answers stores the user's permanent answers outside of any repository.
type Answers struct {
	State string // directory for answers about one project
	User  string // the user's directory of policy files, for answers that apply everywhere
}

// File returns the file for the answers of a scope. root is the project's
// directory, absolute, links resolved.
func (a Answers) File(s Scope, root string) string {
	if s == Everywhere {
		return filepath.Join(a.User, SavedFile)
	}
	return a.ofProject(root, ".toml")
}

// ofProject returns the file about a project whose name ends so.
func (a Answers) ofProject(root, end string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(a.State, hex.EncodeToString(sum[:8])+end)
}

// savedRule is an answer in its stored form.
type savedRule struct {
	ToolName    string   `toml:"toolName"`
	MCPName     string   `toml:"mcpName,omitempty"`
	Prefix      []string `toml:"commandPrefix,omitempty"`
	Args        string   `toml:"argsPattern,omitempty"`
	Decision    string   `toml:"decision"`
	Priority    int      `toml:"priority"`
	Modes       []string `toml:"modes,omitempty"`
	Dir         string   `toml:"dir,omitempty"`
	Sandbox     bool     `toml:"sandbox,omitempty"`
	Outside     bool     `toml:"outside,omitempty"`
	Redirection bool     `toml:"allowRedirection,omitempty"`
	Exactly     bool     `toml:"exactly,omitempty"`
	Definition  string   `toml:"definition,omitempty"`

	Added time.Time `toml:"added"`
}

// Save stores the rules of an offer. They replace answers about the same calls;
// everything else in the file is kept. A file that cannot be read is moved
// aside unless it may deny something.
func (a Answers) Save(o Offer, root string) error {
	if o.Scope == Session {
		return errors.New("an answer for a session is not stored")
	}
	if err := a.save(o.Rules, a.File(o.Scope, root), root); err != nil {
		return fmt.Errorf("store the answer: %w", err)
	}
	return nil
}

func (a Answers) save(add []*Rule, file, root string) error {
	return changeFile(file, func(text []byte) ([]byte, error) {
		kept, mistake := withoutReplaced(file, text, add)
		switch {
		case mistake == nil:
		case mayDeny(text):
			return nil, fmt.Errorf("fix %w", mistake)
		default:
			if err := os.Rename(file, file+".bak"); err != nil {
				return nil, fmt.Errorf("move the unreadable %s aside: %w", file, err)
			}
		}
		for _, r := range add {
			stored := written(r)
			stored.Added = time.Now().UTC().Truncate(time.Second)
			kept.Rules = append(kept.Rules, stored)
		}
		head := "# Permanent answers to questions. Delete a rule to be asked again.\n"
		if root != "" {
			head += fmt.Sprintf("# First for %q.\n", root)
		}
		return withHead(head, kept)
	})
}

// changeFile replaces a file of answers by what change makes of its text, which is empty if
// there is no file. The file is locked meanwhile, and removed if nothing is left.
func changeFile(file string, change func(text []byte) ([]byte, error)) error {
	unlock, err := lock(file)
	if err != nil {
		return err
	}
	defer unlock()
	text, err := readFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	out, err := change(text)
	if err != nil {
		return err
	}
	if len(out) > 0 && bytes.Equal(out, text) {
		return nil
	}
	if len(out) > 0 {
		return private.Replace(file, out)
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// withHead returns the text of a file of answers with comments before it.
func withHead(head string, content any) ([]byte, error) {
	out, err := toml.Marshal(content)
	if err != nil {
		return nil, err
	}
	return append([]byte(head), out...), nil
}

// lock locks a file of answers, whose folder it makes, against other processes.
func lock(file string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	f, err := private.OpenFile(file+".lock", os.O_CREATE|os.O_RDWR) // otherwise the umask decides
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return lockedfile.MutexAt(file + ".lock").Lock()
}

// savedFile is a file of answers. Each rule is either as it was written, field
// by field, or a new [savedRule].
type savedFile struct {
	Rules    []any `toml:"rule"`
	Checkers []any `toml:"safety_checker,omitempty"`
}

// withoutReplaced returns what a file contains, without the answers that are replaced.
func withoutReplaced(file string, text []byte, others []*Rule) (savedFile, *FileError) {
	return withoutRules(file, text, func(r *Rule) bool { return slices.ContainsFunc(others, r.decidesSame) })
}

// withoutRules returns what a file contains, without the rules that are to go.
func withoutRules(file string, text []byte, goes func(*Rule) bool) (savedFile, *FileError) {
	rules, _, mistake := reader{file: file, tier: OfUser, answers: true}.read(text)
	if mistake != nil {
		return savedFile{}, mistake
	}
	var all, left savedFile
	if err := toml.Unmarshal(text, &all); err != nil {
		return left, &FileError{File: file, What: err.Error()}
	}
	left.Checkers = all.Checkers
	for i, r := range rules {
		if !goes(r) {
			left.Rules = append(left.Rules, all.Rules[i])
		}
	}
	return left, nil
}

// mayDeny reports whether an unreadable file of answers may have contained
// denials.
func mayDeny(text []byte) bool {
	return slices.ContainsFunc([]string{"deny", `"ask`, "'ask"}, func(decision string) bool { return bytes.Contains(text, []byte(decision)) })
}

// written returns the stored form of an answer.
func written(r *Rule) savedRule {
	s := savedRule{
		MCPName: r.Server, Args: expression(r.Args), Decision: "allow", Priority: answerPriority, Dir: r.Dir, Sandbox: r.Sandbox, Outside: r.Outside, Redirection: r.Redirects, Exactly: r.Ends, Definition: r.Definition,
	}
	if len(r.Tools) > 0 {
		s.ToolName = r.Tools[0]
	}
	for _, p := range r.Prefixes {
		s.Prefix = append(s.Prefix, quoted(p))
	}
	for _, m := range r.Modes {
		s.Modes = append(s.Modes, string(m))
	}
	return s
}
