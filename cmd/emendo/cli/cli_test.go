package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shop is a program that prints what it is asked to do.
func shop(did *string) Command {
	return Command{Name: "shop", Summary: "sells things", Subcommands: []Command{
		{Name: "buy", Args: "THING [FILE...]", Summary: "buy a thing", Setup: func(f *flag.FlagSet) Run {
			var paid string
			for _, name := range []string{"p", "pay"} {
				f.StringVar(&paid, name, "cash", "`cash|card` how to pay")
			}
			gift := f.Bool("gift", false, "wrap it")
			return func(_ context.Context, args []string) error {
				*did = fmt.Sprint("buy ", args, " ", paid, " ", *gift)
				return nil
			}
		}},
		{Name: "keys", Summary: "manage keys", Subcommands: []Command{
			{Name: "add", Args: "NAME COMMAND [ARG...]", FlagsFirst: true, Summary: "add a key", Setup: func(f *flag.FlagSet) Run {
				to := f.String("to", "", "`FOLDER` where to put it")
				return func(_ context.Context, args []string) error {
					*did = fmt.Sprint("keys add ", args, " ", *to)
					return nil
				}
			}},
			{Name: "drop", Aliases: []string{"remove"}, Summary: "drop all keys", Setup: func(*flag.FlagSet) Run {
				return func(context.Context, []string) error { *did = "keys drop"; return nil }
			}},
			{Name: "secret", Hidden: true, Summary: "not shown", Setup: func(*flag.FlagSet) Run {
				return func(context.Context, []string) error { *did = "secret"; return nil }
			}},
		}},
	}}
}

func TestCommandLine(t *testing.T) {
	tests := []struct {
		name, line, did, err string
	}{
		{name: "arguments and a flag between them", line: "buy tea --pay card a.txt", did: "buy [tea a.txt] card false"},
		{name: "a default and a switch", line: "buy --gift tea", did: "buy [tea] cash true"},
		{name: "the short name", line: "buy -p card tea", did: "buy [tea] card false"},
		{name: "nothing after -- is a flag", line: "buy tea -- --gift", did: "buy [tea --gift] cash false"},
		{name: "a missing argument", line: "buy", err: "buy: missing THING; usage: emendo buy [FLAGS] THING [FILE...]"},
		{name: "an unknown flag", line: "buy tea --free", err: "buy: flag provided but not defined: -free"},
		{name: "a subcommand", line: "keys drop", did: "keys drop"},
		{name: "an alias", line: "keys remove", did: "keys drop"},
		{name: "a hidden subcommand", line: "keys secret", did: "secret"},
		{name: "an argument too many", line: "keys drop x", err: `keys drop takes no arguments, got "x"`},
		{name: "flags of another program", line: "keys add --to d n prog --to x", did: "keys add [n prog --to x] d"},
		{name: "no subcommand", line: "keys", err: "keys: missing subcommand: add|drop"},
		{name: "an unknown subcommand", line: "keys lose", err: `keys: unknown subcommand "lose"; want add, drop`},
		{name: "an unknown command", line: "sell", err: `unknown command "sell"; the commands are buy, keys`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var did string
			var out bytes.Buffer
			err := shop(&did).Execute(t.Context(), &out, strings.Fields(tt.line))
			said := ""
			if err != nil {
				said = err.Error()
				if !errors.As(err, new(*InputError)) {
					t.Errorf("the error is a %T", err)
				}
			}
			if did != tt.did || said != tt.err || out.Len() > 0 {
				t.Errorf("did %q, error %q, printed %q; want %q, %q", did, said, out.String(), tt.did, tt.err)
			}
		})
	}
}

func TestHelpIsPrintedAndNothingRuns(t *testing.T) {
	want := map[string]string{
		"buy tea -h": "usage: emendo buy [FLAGS] THING [FILE...]\n\nBuy a thing.\n\nflags:\n  --gift\n      wrap it\n  -p, --pay cash|card\n      how to pay (default cash)\n",
		"keys --help": "usage: emendo keys COMMAND\n\nManage keys.\n\ncommands:\n  emendo keys add [FLAGS] NAME COMMAND [ARG...]\n      add a key\n" +
			"  emendo keys drop\n      drop all keys\n\nRun `emendo keys COMMAND -h` for the flags of a command.\n",
	}
	for line, want := range want {
		var did string
		var out bytes.Buffer
		if err := shop(&did).Execute(t.Context(), &out, strings.Fields(line)); err != nil || did != "" {
			t.Errorf("%s: error %v, did %q", line, err, did)
		}
		if diff := cmp.Diff(out.String(), want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", line, diff)
		}
	}
}

func TestComplete(t *testing.T) {
	tests := []struct {
		name, line, want string // the last word of the line is completed
	}{
		{"a command", "b", "none buy"},
		{"no command", "x", "none"},
		{"a subcommand, without hidden ones", "keys ", "none add drop"},
		{"flags", "buy -", "none --gift -p --pay --help"},
		{"flags that begin with something", "buy --p", "none --pay"},
		{"a flag's value", "buy --pay ", "none cash card"},
		{"the value of a short name", "buy -p ca", "none cash card"},
		{"a value after =", "buy --pay=car", "none --pay=card"},
		{"an argument", "buy ", "none tea"},
		{"an argument after a flag with a value", "buy --pay card t", "none tea"},
		{"an argument after a switch", "buy --gift t", "none tea"},
		{"a file", "buy tea ", "files"},
		{"more files", "buy tea a b ", "files"},
		{"a folder", "keys add --to ", "folders"},
		{"nothing of another program's flags", "keys add name prog -", "none"},
		{"an argument that begins with a hyphen", "buy -- -", "none"},
		{"nothing more", "keys drop ", "none"},
	}
	values := func(kind string) []Candidate {
		if kind == "THING" {
			return []Candidate{{Text: "tea"}}
		}
		return nil
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var did string
			c := shop(&did).Complete(strings.Split(tt.line, " "), values)
			got := string(c.Paths)
			for _, w := range c.Candidates {
				got += " " + w.Text
			}
			if got != tt.want {
				t.Errorf("completed with %q, want %q", got, tt.want)
			}
		})
	}
}

func TestManualEscapesWhatRoffReads(t *testing.T) {
	var did string
	page := shop(&did).Manual("1-2", Section{Title: "FILES", Items: [][2]string{{`a\b`, ".x"}}})
	for _, want := range []string{
		".TH SHOP 1 \"\" \"shop 1\\-2\" \"User Commands\"\n",
		".SS \"emendo buy [FLAGS] THING [FILE...]\"\nBuy a thing.\n",
		".TP\n\\fB\\-p\\fR, \\fB\\-\\-pay\\fR \\fIcash|card\\fR\nhow to pay (default cash)\n",
		".SH FILES\n.TP\n.B a\\eb\n\\&.x\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "secret") {
		t.Error("the page has a hidden command")
	}
}
