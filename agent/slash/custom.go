package slash

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"github.com/emendo-dev/emendo/agent/definition"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/visible"
)

// A CustomCommand is a slash command that a file defines.
type CustomCommand struct {
	transcript.Command
	File  string // that defines it, absolute
	Scope definition.Scope
	// Extension is the name of the extension that it belongs to, if any.
	Extension string

	prompt template
}

// CustomCommands are the custom commands of a session, sorted by name.
type CustomCommands struct {
	Commands []CustomCommand
	// Problems are files that define no command, and commands that another one
	// hides, one sentence each.
	Problems []string

	broken map[string]string // why files define no command, by the name that it would have
}

// WhyNot returns why there is no command of that name although a file would define it;
// empty if no file would.
func (s CustomCommands) WhyNot(name string) string { return s.broken[name] }

// argumentsHint describes the input of a command in completions.
const argumentsHint = "[ARGUMENTS]"

// Bounds of names and descriptions, in characters.
const (
	maxSegment     = 50
	maxDescription = 100
)

// LoadCustom reads the commands of folders, the weakest folder first. reserved are the
// names of built-in commands, which no file replaces.
func LoadCustom(ctx context.Context, folders []definition.Folder, reserved []string) CustomCommands {
	s := loading{set: CustomCommands{broken: map[string]string{}}, reserved: reserved}
	for _, f := range folders {
		all := func(string) bool { return true }
		for _, file := range definition.Read(ctx, f, func(name string) bool { return path.Ext(name) == ".toml" }, all) {
			c, err := read(file)
			if err != nil {
				s.problem("%s defines no command: %s.", file.Path, strings.TrimSuffix(visible.OneLine(err.Error()), "."))
				s.set.broken[nameOf(file.Name)] = strings.TrimSuffix(s.set.Problems[len(s.set.Problems)-1], ".")
				continue
			}
			s.add(c)
		}
	}
	slices.SortFunc(s.set.Commands, func(a, b CustomCommand) int { return strings.Compare(a.Name, b.Name) })
	return s.set
}

// Find returns the command of that name.
func (s CustomCommands) Find(name string) (CustomCommand, bool) {
	i, ok := slices.BinarySearchFunc(s.Commands, name, func(c CustomCommand, name string) int { return strings.Compare(c.Name, name) })
	if !ok {
		return CustomCommand{}, false
	}
	return s.Commands[i], true
}

// loading is what has been read of them so far.
type loading struct {
	set      CustomCommands
	reserved []string
}

func (l *loading) problem(format string, a ...any) {
	l.set.Problems = append(l.set.Problems, visible.Line(fmt.Sprintf(format, a...)))
}

// add adds a command. One of a stronger folder replaces that of a weaker one,
// except for those of extensions, which get the extension's name in front.
func (l *loading) add(c CustomCommand) {
	if slices.Contains(l.reserved, c.Name) && c.Extension == "" {
		l.problem("%s defines no command: /%s is built in.", c.File, c.Name)
		return
	}
	i := l.index(c.Name)
	switch {
	case c.Extension != "" && (i >= 0 || slices.Contains(l.reserved, c.Name)):
		l.addAs(c, c.Extension+"."+c.Name)
	case i < 0:
		l.set.Commands = append(l.set.Commands, c)
	case l.set.Commands[i].Extension != "":
		other := l.set.Commands[i]
		l.set.Commands[i] = c
		l.addAs(other, other.Extension+"."+other.Name)
	default:
		l.problem("%s replaces the command /%s of %s.", c.File, c.Name, l.set.Commands[i].File)
		l.set.Commands[i] = c
	}
}

// addAs adds a command under a name, with a number if another one has that.
func (l *loading) addAs(c CustomCommand, name string) {
	was := c.Name
	c.Name = name
	for n := 2; l.index(c.Name) >= 0; n++ {
		c.Name = fmt.Sprintf("%s%d", name, n)
	}
	l.problem("The command /%s of %s is /%s here, because another one has its name.", was, c.File, c.Name)
	l.set.Commands = append(l.set.Commands, c)
}

func (l *loading) index(name string) int {
	return slices.IndexFunc(l.set.Commands, func(c CustomCommand) bool { return c.Name == name })
}

// read returns the command that a file defines.
func read(f definition.File) (CustomCommand, error) {
	if f.Err != nil {
		return CustomCommand{}, f.Err
	}
	var fields map[string]any
	if err := toml.Unmarshal([]byte(f.Text), &fields); err != nil {
		if d, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, column := d.Position()
			return CustomCommand{}, fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(d.Error(), "toml: "))
		}
		return CustomCommand{}, errors.New(strings.TrimPrefix(err.Error(), "toml: "))
	}
	prompt, err := textOf(fields, "prompt")
	if err == nil && strings.TrimSpace(prompt) == "" {
		err = errors.New("prompt is missing or empty")
	}
	if err != nil {
		return CustomCommand{}, err
	}
	description, err := textOf(fields, "description")
	if err != nil {
		return CustomCommand{}, err
	}
	t, err := parseTemplate(prompt)
	if err != nil {
		return CustomCommand{}, err
	}
	c := CustomCommand{File: f.Path, Scope: f.Folder.Scope, Extension: f.Folder.Extension, prompt: t}
	c.Name, c.Hint = nameOf(f.Name), argumentsHint
	c.Description = visible.ShortLine(description, maxDescription)
	if c.Description == "" {
		c.Description = "Custom command from " + visible.Line(path.Base(f.Name))
	}
	if c.Extension != "" {
		c.Description = "[" + c.Extension + "] " + c.Description
	}
	return c, nil
}

// textOf returns a field of a file; empty if it is not there.
func textOf(fields map[string]any, key string) (string, error) {
	switch v := fields[key].(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	default:
		return "", fmt.Errorf("%s must be a string", key)
	}
}

var notInNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[^A-Za-z0-9_.-]`)
})

// nameOf returns the name of the command that a file defines: "git:commit" for
// git/commit.toml.
func nameOf(file string) string {
	segments := strings.Split(strings.TrimSuffix(file, ".toml"), "/")
	for i, s := range segments {
		s = notInNames().ReplaceAllString(s, "_")
		if len(s) > maxSegment {
			s = s[:maxSegment-3] + "..."
		}
		segments[i] = s
	}
	return strings.Join(segments, ":")
}
