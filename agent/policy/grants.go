package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/emendo-dev/emendo/tools"
)

// A Line is a command exactly as it is shown and run: another folder or another letter is
// another line.
type Line struct {
	Command    string `toml:"command"`
	Dir        string `toml:"dir"` // absolute
	Background bool   `toml:"background,omitempty"`
}

// LineOf returns the line of a call.
func LineOf(r tools.Runs) Line { return Line{r.Command, r.Dir, r.Background} }

// shown describes the line to the user.
func (l Line) shown() string {
	how := ""
	if l.Background {
		how = " in the background"
	}
	return fmt.Sprintf("exactly `%s`%s, run in %s", l.Command, how, l.Dir)
}

// A Grant is what one line may always reach beyond the sandbox: some hosts, or one folder to
// write or to read.
type Grant struct {
	Line
	Hosts []string `toml:"hosts,omitempty"`
	Write string   `toml:"write,omitempty"` // absolute
	Read  string   `toml:"read,omitempty"`  // absolute

	Project string    `toml:"project"` // the folder of the sessions that it holds in, absolute, links resolved
	Added   time.Time `toml:"added"`
}

// Access returns what the line may reach.
func (g Grant) Access() tools.Access {
	a := tools.Access{Hosts: g.Hosts}
	if g.Write != "" {
		a.Write = []string{g.Write}
	}
	if g.Read != "" {
		a.Read = []string{g.Read}
	}
	return a
}

// grantsSame reports whether two grants are about the same line and the same access, whenever they
// were given.
func (g Grant) grantsSame(o Grant) bool {
	return g.Line == o.Line && slices.Equal(g.Hosts, o.Hosts) && g.Write == o.Write && g.Read == o.Read && g.Project == o.Project
}

// grantsEnd ends the name of a file of grants.
const grantsEnd = ".grants.toml"

type grants struct {
	Grants []Grant `toml:"grant"`
}

// Grants returns the grants of a project, the oldest first.
func (a Answers) Grants(project string) ([]Grant, error) {
	return readGrants(a.ofProject(project, grantsEnd))
}

// AllGrants returns the grants of all projects. The error names files that cannot be read; the
// others are still returned.
func (a Answers) AllGrants() ([]Grant, error) {
	files, err := filepath.Glob(filepath.Join(a.State, "*"+grantsEnd))
	if err != nil {
		return nil, err
	}
	var all []Grant
	var errs []error
	for _, f := range files {
		l, err := readGrants(f)
		all, errs = append(all, l...), append(errs, err)
	}
	return all, errors.Join(errs...)
}

func readGrants(file string) ([]Grant, error) {
	text, err := readFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return parseGrants(file, text)
}

func parseGrants(file string, text []byte) ([]Grant, error) {
	var l grants
	if err := toml.Unmarshal(text, &l); err != nil {
		return nil, &FileError{File: file, What: err.Error()}
	}
	return l.Grants, nil
}

// Give stores a grant in the place of an equal one. A file that cannot be read is moved aside:
// nothing in it is a denial.
func (a Answers) Give(g Grant) error {
	err := a.changeGrants(g.Project, func(l []Grant) []Grant {
		return append(slices.DeleteFunc(l, g.grantsSame), g)
	})
	if err != nil {
		return fmt.Errorf("store what a command may reach: %w", err)
	}
	return nil
}

// Revoke removes a grant, and reports whether there was one.
func (a Answers) Revoke(g Grant) (was bool, err error) {
	err = a.changeGrants(g.Project, func(l []Grant) []Grant {
		left := slices.DeleteFunc(slices.Clone(l), g.grantsSame)
		was = len(left) < len(l)
		return left
	})
	return was, err
}

func (a Answers) changeGrants(project string, change func([]Grant) []Grant) error {
	file := a.ofProject(project, grantsEnd)
	return changeFile(file, func(text []byte) ([]byte, error) {
		l, err := parseGrants(file, text)
		if err != nil {
			if err := os.Rename(file, file+".bak"); err != nil {
				return nil, err
			}
		}
		if l = change(l); len(l) == 0 {
			return nil, nil
		}
		return withHead("# What single commands may always reach beyond the sandbox. Delete one to be asked again.\n", grants{l})
	})
}
