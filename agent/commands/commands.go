// Package commands has the slash commands that users and projects define as
// prompts in TOML files. It reads the files and expands a command to the prompt
// that the model gets. It runs no command lines and reads no files of the
// workspace itself: whoever expands a command does, through the gate.
package commands

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/emendo-dev/emendo/agent/definition"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/lazyregexp"
	"github.com/emendo-dev/emendo/internal/visible"
)

// A Command is a slash command that a file defines.
type Command struct {
	transcript.Command
	File  string // that defines it, absolute
	Scope definition.Scope
	// Extension is the name of the extension that it belongs to, if any.
	Extension string

	prompt template
}

// A Set is the commands of a session, sorted by name.
type Set struct {
	Commands []Command
	// Problems are files that define no command, and commands that another one
	// hides, one sentence each.
	Problems []string

	broken map[string]string // why files define no command, by the name that it would have
}

// WhyNot returns why there is no command of that name although a file would define it;
// empty if no file would.
func (s Set) WhyNot(name string) string { return s.broken[name] }

// argumentsHint describes the input of a command in completions.
const argumentsHint = "[ARGUMENTS]"

// Bounds of names and descriptions, in characters.
const (
	maxSegment     = 50
	maxDescription = 100
)

// Load reads the commands of folders, the weakest folder first. reserved are the
// names of built-in commands, which no file replaces.
func Load(ctx context.Context, folders []definition.Folder, reserved []string) Set {
	s := loading{Set: Set{broken: map[string]string{}}, reserved: reserved}
	for _, f := range folders {
		all := func(string) bool { return true }
		for _, file := range definition.Read(ctx, f, func(name string) bool { return path.Ext(name) == ".toml" }, all) {
			c, err := read(file)
			if err != nil {
				s.problem("%s defines no command: %s.", file.Path, strings.TrimSuffix(visible.OneLine(err.Error()), "."))
				s.broken[nameOf(file.Name)] = strings.TrimSuffix(s.Problems[len(s.Problems)-1], ".")
				continue
			}
			s.add(c)
		}
	}
	slices.SortFunc(s.Commands, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	return s.Set
}

// Find returns the command of that name.
func (s Set) Find(name string) (Command, bool) {
	i, ok := slices.BinarySearchFunc(s.Commands, name, func(c Command, name string) int { return strings.Compare(c.Name, name) })
	if !ok {
		return Command{}, false
	}
	return s.Commands[i], true
}

type loading struct {
	Set
	reserved []string
}

func (l *loading) problem(format string, a ...any) {
	l.Problems = append(l.Problems, visible.Line(fmt.Sprintf(format, a...)))
}

// add adds a command. One of a stronger folder replaces that of a weaker one,
// except for those of extensions, which get the extension's name in front.
func (l *loading) add(c Command) {
	if slices.Contains(l.reserved, c.Name) && c.Extension == "" {
		l.problem("%s defines no command: /%s is built in.", c.File, c.Name)
		return
	}
	i := l.index(c.Name)
	switch {
	case c.Extension != "" && (i >= 0 || slices.Contains(l.reserved, c.Name)):
		l.addAs(c, c.Extension+"."+c.Name)
	case i < 0:
		l.Commands = append(l.Commands, c)
	case l.Commands[i].Extension != "":
		other := l.Commands[i]
		l.Commands[i] = c
		l.addAs(other, other.Extension+"."+other.Name)
	default:
		l.problem("%s replaces the command /%s of %s.", c.File, c.Name, l.Commands[i].File)
		l.Commands[i] = c
	}
}

// addAs adds a command under a name, with a number if another one has that.
func (l *loading) addAs(c Command, name string) {
	was := c.Name
	c.Name = name
	for n := 2; l.index(c.Name) >= 0; n++ {
		c.Name = fmt.Sprintf("%s%d", name, n)
	}
	l.problem("The command /%s of %s is /%s here, because another one has its name.", was, c.File, c.Name)
	l.Commands = append(l.Commands, c)
}

func (l *loading) index(name string) int {
	return slices.IndexFunc(l.Commands, func(c Command) bool { return c.Name == name })
}

// read returns the command that a file defines.
func read(f definition.File) (Command, error) {
	if f.Err != nil {
		return Command{}, f.Err
	}
	var fields map[string]any
	if err := toml.Unmarshal([]byte(f.Text), &fields); err != nil {
		if d, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, column := d.Position()
			return Command{}, fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(d.Error(), "toml: "))
		}
		return Command{}, errors.New(strings.TrimPrefix(err.Error(), "toml: "))
	}
	prompt, err := textOf(fields, "prompt")
	if err == nil && strings.TrimSpace(prompt) == "" {
		err = errors.New("prompt is missing or empty")
	}
	if err != nil {
		return Command{}, err
	}
	description, err := textOf(fields, "description")
	if err != nil {
		return Command{}, err
	}
	t, err := parse(prompt)
	if err != nil {
		return Command{}, err
	}
	c := Command{File: f.Path, Scope: f.Folder.Scope, Extension: f.Folder.Extension, prompt: t}
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

var notInNames = lazyregexp.New(`[^A-Za-z0-9_.-]`)

// nameOf returns the name of the command that a file defines: "git:commit" for
// git/commit.toml.
func nameOf(file string) string {
	segments := strings.Split(strings.TrimSuffix(file, ".toml"), "/")
	for i, s := range segments {
		s = notInNames.ReplaceAllString(s, "_")
		if len(s) > maxSegment {
			s = s[:maxSegment-3] + "..."
		}
		segments[i] = s
	}
	return strings.Join(segments, ":")
}
