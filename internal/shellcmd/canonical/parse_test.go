package canonical_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/shellcmd/canonical"
)

func TestNotParsed(t *testing.T) {
	for _, c := range []struct{ name, command, want string }{
		{"a carriage return", "ls\r", "carriage return"},
		{"an escape", "ls \x1b[1m", "U+001B"},
		{"a character that turns the direction", "ls \u202e", "U+202E"},
		{"a tag character", "ls \U000e0041", "U+E0041"},
		{"a character of no width", "ls\u200b", "U+200B"},
		{"broken bytes", "ls \xff", "UTF-8"},
		{"a long command", strings.Repeat("a", canonical.MaxParsed+1), "longer"},
		{"a deep command", strings.Repeat("$(", canonical.MaxNesting+1), "nested more than"},
		{"an open quote", "echo 'a", "does not parse"},
		{"an open list", "if a; then", "does not parse"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, why := canonical.Parse(c.command)
			if file != nil || !strings.Contains(why, c.want) {
				t.Errorf("parse said %q, want one with %q", why, c.want)
			}
		})
	}
}
