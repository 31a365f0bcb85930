package slash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/agent/compact"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/own"
	"github.com/emendo-dev/emendo/internal/spelling"
)

// A Host is the turn that runs a built-in command.
type Host interface {
	// Utility returns the model for a purpose, and its name.
	Utility(p model.Purpose) (model.Generator, string, error)
	// Compact summarizes the older part of the conversation.
	Compact(ctx context.Context, focus string) (compact.Result, error)
	// Items describes the next request without the prompt.
	Items(ctx context.Context) []transcript.ContextItem
}

// A Command is the slash command of a prompt.
type Command struct {
	transcript.Command
	Args string
	// Custom is the command if a file defines it. If it is nil and Served is false,
	// emendo runs the command itself, and the model does not see it. Served marks a
	// prompt of an MCP server.
	Custom *CustomCommand
	Served bool

	builtIn builtIn
}

// Run runs a built-in command in a turn and returns the answer, in Markdown.
func (c Command) Run(ctx context.Context, turn *state.Conversation, h Host) (string, error) {
	return c.builtIn.run(runner{turn.Session, turn, h}, ctx, c.Args)
}

// BuiltIn returns the slash commands that every session has.
func BuiltIn() []transcript.Command {
	var l []transcript.Command
	for _, c := range builtIns() {
		l = append(l, c.Command)
	}
	return l
}

// All returns the slash commands of a session.
func All(ctx context.Context, s *state.Session) []transcript.Command {
	l := In(ctx, s.Site())
	return append(l, served(s, l)...)
}

// In returns the slash commands of a site, without those of MCP servers. It reads
// files and starts nothing.
func In(ctx context.Context, at state.Site) []transcript.Command {
	l := BuiltIn()
	for _, c := range custom(ctx, at).Commands {
		l = append(l, c.Command)
	}
	return l
}

// custom returns the custom commands of a site, as their files are now.
func custom(ctx context.Context, at state.Site) CustomCommands {
	var reserved []string
	for _, c := range builtIns() {
		reserved = append(reserved, c.Name)
	}
	return LoadCustom(ctx, at.Definitions("commands", own.Gemini, own.Emendo), reserved)
}

// ErrUnknown reports a prompt that looks like a slash command but names none.
var ErrUnknown = errors.New("unknown command")

// commandName matches names of commands, but no paths.
var commandName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*(?:[:.][A-Za-z0-9_.:-]+)?$`)
})

// Find returns the slash command that a prompt begins with; nil if the prompt goes
// to the model unchanged, as it does if a built-in command takes no arguments but
// gets some. The error, [ErrUnknown], suggests the nearest command.
func Find(ctx context.Context, s *state.Session, p state.Prompt) (*Command, error) {
	name, args, ok := parse(p)
	if !ok {
		return nil, nil //nolint:nilnil // the prompt is for the model
	}
	var names []string
	for _, c := range builtIns() {
		if c.Name != name {
			names = append(names, c.Name)
			continue
		}
		if args != "" && c.Hint == "" && c.Name != "plan" { // in any other mode the plan would be carried out
			return nil, nil //nolint:nilnil // the prompt is for the model
		}
		return &Command{Command: c.Command, Args: args, builtIn: c}, nil
	}
	library := s.Library()
	if !s.Trusted() {
		library = nil
	}
	if strings.Contains(name, "/") {
		return nil, nil //nolint:nilnil // the prompt is for the model
	}
	set := custom(ctx, s.Site())
	if c, ok := set.Find(name); ok {
		return &Command{Command: c.Command, Args: args, Custom: &c}, nil
	}
	if library != nil && library.MayHave(name) {
		return &Command{Command: transcript.Command{Name: name}, Args: args, Served: true}, nil
	}
	if why := set.WhyNot(name); why != "" {
		return nil, fmt.Errorf("%w /%s: %s", ErrUnknown, name, why)
	}
	if !commandName().MatchString(name) {
		return nil, nil //nolint:nilnil // the prompt is for the model
	}
	if _, err := os.Lstat("/" + name); err == nil {
		return nil, nil //nolint:nilnil // the prompt is for the model
	}
	for _, c := range set.Commands {
		names = append(names, c.Name)
	}
	for _, c := range served(s, nil) {
		names = append(names, c.Name)
	}
	hint := "/help lists the commands"
	if there, ok := elsewhere[strings.ToLower(name)]; ok {
		hint = there
	} else if near, letters := spelling.Nearest(name, names); letters <= 2 {
		hint = fmt.Sprintf("did you mean /%s?", near)
	} else if i := slices.IndexFunc(set.Commands, func(c CustomCommand) bool { return strings.HasSuffix(c.Name, ":"+name) }); i >= 0 {
		hint = fmt.Sprintf("did you mean /%s?", set.Commands[i].Name)
	}
	return nil, fmt.Errorf("%w /%s; %s", ErrUnknown, name, hint)
}

// Check returns an error if a prompt is empty or names an unknown slash command.
func Check(ctx context.Context, s *state.Session, p state.Prompt) error {
	if err := p.Check(); err != nil {
		return err
	}
	_, err := Find(ctx, s, p)
	return err
}

// Is reports whether a prompt is a slash command.
func Is(ctx context.Context, s *state.Session, p state.Prompt) bool {
	c, err := Find(ctx, s, p)
	return c != nil && err == nil
}

// parse returns the name and the arguments of a prompt whose first block is text
// that begins with a slash and a word.
func parse(p state.Prompt) (name, args string, ok bool) {
	if p.Relayed || len(p.Blocks) == 0 || !p.Blocks[0].Said() || p.Blocks[0].Comment != nil {
		return "", "", false
	}
	text, ok := strings.CutPrefix(strings.TrimSpace(p.Blocks[0].Text), "/")
	if !ok {
		return "", "", false
	}
	name = text
	if i := strings.IndexAny(text, " \t\r\n"); i >= 0 {
		name, args = text[:i], strings.TrimSpace(text[i:])
	}
	return name, args, true
}
