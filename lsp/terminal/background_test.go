package terminal

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/tools"
)

// job is a command in the background with what it writes, piece by piece.
type job struct {
	tools.Job
	pieces []piece
}

type piece struct {
	text string
	lost int // bytes before it that are not kept any more
}

func (j *job) Written(_ context.Context, at int64) ([]byte, int64, error) {
	p := j.pieces[0]
	j.pieces = j.pieces[1:]
	var err error
	if len(j.pieces) == 0 {
		err = io.EOF
	}
	return []byte(p.text), at + int64(p.lost+len(p.text)), err
}

func (*job) State() string { return "exit 1" }

func TestACommandInTheBackground(t *testing.T) {
	seat(t, func(d *desk) {
		x := &terminal{id: "x", c: d.server, life: d.server.Life(), end: func() {}}
		if err := d.terminals.reserve(); err != nil {
			t.Fatal(err)
		}
		if err := d.terminals.add(x, nil); err != nil {
			t.Fatal(err)
		}
		d.wantRefused(-32803, "write", writeParams{"x", "y"})
		if err := d.call("resize", resizeParams{"x", 5, 50}, nil); err != nil {
			t.Error(err)
		}
		x.follow(&job{pieces: []piece{{text: "one\ntw"}, {text: "o\n"}, {text: "ten\r\n\x1b]0;ti", lost: 2000}, {text: "tle\aend"}}})
		text, exits := d.sees()
		if want := "one\r\ntwo\r\n\x1b[0m[2000 bytes of the output are left out]\r\nten\r\nend"; text != want {
			t.Errorf("the user sees %q, want %q", text, want)
		}
		if len(exits) != 1 || exits[0].Text.Text != "The command has ended: exit 1" {
			t.Errorf("it ended so: %+v", exits)
		}
		if err := d.call("close", closeParams{"x"}, nil); err != nil {
			t.Error(err)
		}
	})
}

// Nothing in what a command writes acts on the user's terminal, however it is cut into pieces.
func TestOutputThatActsOnTheTerminal(t *testing.T) {
	for _, c := range []struct{ name, written, shown string }{
		{"colours and moves", "\x1b[31mred\x1b[0m\x1b[2K\x1b[1A", "\x1b[31mred\x1b[0m\x1b[2K\x1b[1A"},
		{"a title", "a\x1b]0;title\ab", "ab"},
		{"the clipboard", "a\x1b]52;c;eA==\x1b\\b", "ab"},
		{"a string that has an escape", "a\x1bPx\x1by\x1b\\b", "ab"},
		{"other strings", "\x1bXa\x1b\\\x1b^b\x1b\\\x1b_c\x1b\\d", "d"},
		{"an escape before one", "\x1b\x1b]0;t\ab", "b"},
		{"one after a control", "a\x1b\x00]0;t\ab\x1b\x7f]0;t\ac", "abc"},
		{"one after what is no sequence", "a\x1b\u009d0;t\ab", "a0;t\ab"},
		{"one between the bytes of a control", "a\xc2\x1b]x\a\x9db", "a\ufffd\x9db"},
		{"controls of eight bits", "a\u009d0;t\u009cb", "a0;tb"},
		{"letters that begin as they do", "a\u00a0\u00e4", "a\u00a0\u00e4"},
		{"lines", "a\nb\r\nc\rd", "a\r\nb\r\nc\rd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for size := 1; size <= len(c.written); size++ {
				var s shower
				var shown strings.Builder
				for rest := c.written; rest != ""; {
					n := min(size, len(rest))
					shown.Write(s.filter([]byte(rest[:n])))
					rest = rest[n:]
				}
				if shown.String() != c.shown {
					t.Errorf("in pieces of %d: %q, want %q", size, shown.String(), c.shown)
				}
			}
		})
	}
}

var _ client.Server = (*desk)(nil)
