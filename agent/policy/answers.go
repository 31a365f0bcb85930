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

	"github.com/pelletier/go-toml/v2"
	"github.com/rogpeppe/go-internal/lockedfile"
)

// Answers keeps the answers of the user that last beyond a session, out of reach
// of every repository.
type Answers struct {
	State string // the folder for those about one project
	User  string // the user's folder of policy files, for those that reach everywhere
}

// File is where the answers of a scope are kept; root is the project's folder,
// absolute, links resolved.
func (a Answers) File(s Scope, root string) string {
	if s == Everywhere {
		return filepath.Join(a.User, SavedFile)
	}
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(a.State, hex.EncodeToString(sum[:8])+".toml")
}

// savedRule is a rule as it is written.
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
	Redirection bool     `toml:"allowRedirection,omitempty"`
}

// Save adds the rules of an offer to what is kept. Rules that speak of the same
// calls take each other's place. A file that cannot be read is set aside.
func (a Answers) Save(o Offer, root string) error {
	if o.Scope == Session {
		return errors.New("an answer for a session is not kept in a file")
	}
	file := a.File(o.Scope, root)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("keeping the answer: %w", err)
	}
	unlock, err := lockedfile.MutexAt(file + ".lock").Lock()
	if err != nil {
		return fmt.Errorf("keeping the answer: %w", err)
	}
	defer unlock()
	rules, _, mistake := readFile(file, OfUser, true)
	if _, err := os.Stat(file); err == nil && mistake != nil {
		if err := os.Rename(file, file+".bak"); err != nil {
			return fmt.Errorf("setting %s aside, which cannot be read: %w", file, err)
		}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keeping the answer: %w", err)
	}
	for _, r := range o.Rules {
		rules = append(slices.DeleteFunc(rules, r.same), r)
	}
	if err := replace(file, written(rules, root)); err != nil {
		return fmt.Errorf("keeping the answer: %w", err)
	}
	return nil
}

// written is a file of answers.
func written(rules []*Rule, root string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# What was always allowed, in answer to a question. Take a rule out to be asked again.\n")
	if root != "" {
		fmt.Fprintf(&b, "# First for %q.\n", root)
	}
	var file struct {
		Rules []savedRule `toml:"rule"`
	}
	for _, r := range rules {
		s := savedRule{
			MCPName: r.Server, Args: expression(r.Args), Decision: "allow", Priority: answerPriority, Dir: r.Dir, Sandbox: r.Sandbox, Redirection: r.Redirects,
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
		file.Rules = append(file.Rules, s)
	}
	text, err := toml.Marshal(file)
	if err != nil {
		panic(fmt.Sprintf("policy: answers cannot be written: %v", err)) // they are texts and numbers
	}
	b.Write(text)
	return b.Bytes()
}

// replace puts text at path so that every reader sees the old file or the new
// one, whole.
func replace(path string, text []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // what went wrong is told
		}
	}()
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
