// Package cli owns the shape of a command line: a table of commands with their flags
// and arguments. Parsing, help, completion in shells and the manual all read that
// table, so none of them can know a flag that another does not. The package knows
// neither the process nor what the commands do.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Command is a program, a command of it or a subcommand.
type Command struct {
	Name    string
	Aliases []string // other names, which no list shows
	// Args are the arguments after the flags, as the usage line shows them: [PROMPT],
	// or NAME COMMAND|URL [ARG...]. The words decide how many there are and how each
	// is completed; see [Complete].
	Args    string
	Summary string // begins with a verb in lower case; without a period
	Hidden  bool   // neither listed nor completed
	// FlagsFirst ends the flags at the first argument, for a command whose last
	// arguments are the command line of another program.
	FlagsFirst bool
	// Secret says what to do instead of passing a secret as an argument, for a command that
	// takes none: an argument too many may be one, and is not repeated.
	Secret string
	// Setup declares the flags and returns what runs the command with them. The usage
	// text of a flag with a value begins with a word for the value, in backquotes.
	// Setup is nil for a command that has subcommands.
	Setup       func(f *flag.FlagSet) Run
	Subcommands []Command
}

// A Run runs a command with the arguments that are not flags.
type Run func(ctx context.Context, args []string) error

// Plain returns the Setup of a command without flags.
func Plain(run Run) func(*flag.FlagSet) Run {
	return func(*flag.FlagSet) Run { return run }
}

// An InputError is a mistake on the command line.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns the error without the mark.
func (e *InputError) Unwrap() error { return e.Err }

// BadInput formats an [InputError] as [fmt.Errorf] does.
func BadInput(format string, a ...any) error { return &InputError{fmt.Errorf(format, a...)} }

// Execute runs a command line, which is without the name of the program c. It prints
// help on stdout if the command line asks for that.
func (c Command) Execute(ctx context.Context, stdout io.Writer, args []string) error {
	return c.execute(ctx, stdout, nil, args)
}

// execute runs the command whose names are path.
func (c Command) execute(ctx context.Context, stdout io.Writer, path, args []string) error {
	name := strings.Join(path, " ")
	if len(c.Subcommands) == 0 {
		return c.runWith(ctx, stdout, name, args)
	}
	i := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
	if i < 0 {
		if slices.ContainsFunc(args, isHelp) {
			_, err := io.WriteString(stdout, c.Help(name))
			return err
		}
		return BadInput("%s: missing subcommand: %s", name, c.names("|"))
	}
	sub, ok := c.Subcommand(args[i])
	switch {
	case ok:
	case len(path) == 0:
		return BadInput("unknown command %q; the commands are %s", args[i], c.names(", "))
	default:
		return BadInput("%s: unknown subcommand %q; want %s", name, args[i], c.names(", "))
	}
	return sub.execute(ctx, stdout, append(path, sub.Name), slices.Concat(args[:i], args[i+1:]))
}

func isHelp(arg string) bool { return arg == "-h" || arg == "--help" || arg == "-help" }

// Subcommand returns the subcommand of a name or alias.
func (c Command) Subcommand(name string) (Command, bool) {
	for _, s := range c.Subcommands {
		if s.Name == name || slices.Contains(s.Aliases, name) {
			return s, true
		}
	}
	return Command{}, false
}

// names lists the subcommands.
func (c Command) names(separator string) string {
	var l []string
	for _, s := range c.visible() {
		l = append(l, s.Name)
	}
	return strings.Join(l, separator)
}

// visible returns the subcommands that are not hidden.
func (c Command) visible() []Command {
	return slices.DeleteFunc(slices.Clone(c.Subcommands), func(s Command) bool { return s.Hidden })
}

// runWith parses flags and arguments and runs the command.
func (c Command) runWith(ctx context.Context, stdout io.Writer, name string, args []string) error {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	run := c.Setup(f)
	rest, err := c.parse(f, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, err := io.WriteString(stdout, c.Help(name))
		return err
	case err != nil:
		return BadInput("%s: %v", name, err)
	}
	if err := c.checkCount(name, rest); err != nil {
		return err
	}
	return run(ctx, rest)
}

// parse reads flags before, between and after other arguments, and returns those.
// Nothing after "--" is a flag.
func (c Command) parse(f *flag.FlagSet, args []string) (rest []string, err error) {
	if c.FlagsFirst {
		err := f.Parse(args)
		return f.Args(), err
	}
	var plain []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, plain = args[:i], args[i+1:]
	}
	for {
		if err := f.Parse(args); err != nil {
			return nil, err
		}
		if args = f.Args(); len(args) == 0 {
			return append(rest, plain...), nil
		}
		rest, args = append(rest, args[0]), args[1:]
	}
}

// checkCount compares the number of arguments with those that the command takes.
func (c Command) checkCount(name string, args []string) error {
	want := c.arguments()
	for i, a := range want {
		if !a.optional && i >= len(args) {
			return BadInput("%s: missing %s; usage: emendo %s", name, a.name, c.usage(name))
		}
	}
	switch n := len(want); {
	case n == 0 && len(args) > 0:
		return BadInput("%s takes no arguments, got %q", name, args[0])
	case n < len(args) && c.Secret != "":
		return BadInput("%s: unexpected argument after %q; %s", name, args[n-1], c.Secret)
	case n < len(args) && !want[n-1].repeats:
		return BadInput("%s: unexpected argument %q after %q; quote an argument that contains spaces", name, args[n], args[n-1])
	}
	return nil
}

// argument is one of the words of [Command.Args].
type argument struct {
	name              string // such as SESSION, or the words to choose from
	optional, repeats bool
}

func (c Command) arguments() (l []argument) {
	for word := range strings.FieldsSeq(c.Args) {
		a := argument{name: strings.Trim(word, "[]."), optional: strings.HasPrefix(word, "["), repeats: strings.Contains(word, "...")}
		l = append(l, a)
	}
	return l
}
