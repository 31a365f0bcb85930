package definition

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/visible"
)

// A Skill is instructions for a kind of task, which the model reads when it needs them. A
// SKILL.md file defines it.
type Skill struct {
	Name        string
	Description string // one line
	Body        string
	File        string // absolute
	Dir         string // of the file, absolute, links resolved
	Scope       Scope
	// Extension is the name of the extension that it belongs to, if any.
	Extension string

	folder Folder
}

// Skills are the skills of a session.
type Skills struct {
	List []Skill // sorted by name
	// Problems are files that define no skill, and skills that another one
	// replaces, one sentence each.
	Problems []string
}

// skillFile is the name of a skill's file.
const skillFile = "SKILL.md"

// Bounds of what the file of a skill says.
const (
	maxName        = 64       // characters
	maxDescription = 1024     // characters
	maxBody        = 64 << 10 // bytes
)

// LoadSkills reads the skills of folders, the weakest folder first: SKILL.md in the
// folder itself and in those directly below. Names are compared without case.
func LoadSkills(ctx context.Context, folders []Folder, disabled []string) Skills {
	var set Skills
	for _, f := range folders {
		wanted := func(name string) bool { return path.Base(name) == skillFile }
		enter := func(name string) bool {
			return !strings.Contains(name, "/") && name != "node_modules" && name != ".git"
		}
		for _, file := range Read(ctx, f, wanted, enter) {
			s, err := readSkill(file)
			if err != nil {
				set.Problems = append(set.Problems, visible.Line(fmt.Sprintf("%s defines no skill: %v.", file.Path, visible.OneLine(err.Error()))))
				continue
			}
			if i := set.index(s.Name); i >= 0 {
				set.Problems = append(set.Problems, visible.Line(fmt.Sprintf("%s replaces the skill %s of %s.", s.File, s.Name, set.List[i].File)))
				set.List = slices.Delete(set.List, i, i+1)
			}
			set.List = append(set.List, s)
		}
	}
	set.List = slices.DeleteFunc(set.List, func(s Skill) bool {
		return slices.ContainsFunc(disabled, func(name string) bool { return strings.EqualFold(name, s.Name) })
	})
	slices.SortFunc(set.List, func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
	return set
}

// Find returns the skill of that name.
func (s Skills) Find(name string) (Skill, bool) {
	if i := s.index(strings.TrimSpace(name)); i >= 0 {
		return s.List[i], true
	}
	return Skill{}, false
}

func (s Skills) index(name string) int {
	return slices.IndexFunc(s.List, func(o Skill) bool { return strings.EqualFold(o.Name, name) })
}

// notInNames are characters that a name cannot have.
var notInNames = strings.NewReplacer(":", "-", `\`, "-", "/", "-", "<", "-", ">", "-", "*", "-", "?", "-", `"`, "-", "|", "-")

// goodName matches the names of skills.
var goodName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._+&-]*$`)
})

func readSkill(f File) (Skill, error) {
	if f.Err != nil {
		return Skill{}, f.Err
	}
	matter, body, ok := FrontMatter(f.Text)
	if !ok {
		return Skill{}, errors.New("it does not begin with front matter between two lines of ---")
	}
	name, description := fields(matter)
	name = strings.TrimSpace(notInNames.Replace(visible.OneLine(name)))
	switch {
	case name == "":
		return Skill{}, errors.New("name is missing or empty")
	case !goodName().MatchString(name):
		return Skill{}, fmt.Errorf("invalid name %.80q: want letters, digits, spaces and - _ . + &, beginning with a letter or digit", name)
	case len(name) > maxName:
		return Skill{}, fmt.Errorf("name is longer than %d characters", maxName)
	case strings.TrimSpace(description) == "":
		return Skill{}, errors.New("description is missing or empty")
	case len(body) > maxBody:
		return Skill{}, fmt.Errorf("it is longer than %d KiB: move details into files beside it", maxBody>>10)
	}
	return Skill{
		Name: visible.Line(name), Description: visible.ShortLine(description, maxDescription), Body: body,
		File: f.Path, Dir: disk.RealPath(filepath.Dir(f.Path)), Scope: f.Folder.Scope, Extension: f.Folder.Extension, folder: f.Folder,
	}, nil
}

// fields returns the name and the description in front matter. Many files have
// colons in values, which YAML does not permit: those are read line by line.
func fields(matter string) (name, description string) {
	var known struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}
	if err := Decode(matter, &known); err == nil {
		return known.Name, known.Description
	}
	values := map[string]string{}
	key := ""
	for line := range strings.SplitSeq(matter, "\n") {
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
			if key != "" {
				values[key] += " " + strings.TrimSpace(line)
			}
			continue
		}
		k, v, ok := strings.Cut(line, ":")
		if key = strings.TrimSpace(k); !ok {
			key = ""
			continue
		}
		values[key] = strings.Trim(strings.TrimSpace(v), `"'`)
	}
	return values["name"], values["description"]
}
