package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// usage returns the usage line of a command without the program's name.
func (c Command) usage(name string) string {
	words := []string{name}
	if len(c.Flags()) > 0 {
		words = append(words, "[FLAGS]")
	}
	if len(c.Subcommands) > 0 {
		words = append(words, "COMMAND")
	}
	return strings.TrimSpace(strings.Join(append(words, c.Args), " "))
}

// Help returns the help of the command, whose name is that after the program's.
func (c Command) Help(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: emendo %s\n\n%s\n", c.usage(name), sentence(c.Summary))
	if len(c.Subcommands) > 0 {
		b.WriteString("\ncommands:\n")
		for _, s := range c.visible() {
			fmt.Fprintf(&b, "  emendo %s\n      %s\n", s.usage(strings.TrimSpace(name+" "+s.Name)), s.Summary)
		}
		fmt.Fprintf(&b, "\nRun `emendo %s -h` for the flags of a command.\n", strings.TrimSpace(name+" COMMAND"))
	}
	if flags := c.Flags(); len(flags) > 0 {
		b.WriteString("\nflags:\n")
		for _, f := range flags {
			fmt.Fprintf(&b, "  %s\n      %s\n", f.synopsis(), f.text())
		}
	}
	return b.String()
}

// sentence makes a sentence of a summary.
func sentence(text string) string {
	first, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[n:] + "."
}
