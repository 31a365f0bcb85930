package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/emendo-dev/emendo/agent/transcript"
)

func TestLinesOfALink(t *testing.T) {
	for _, c := range []struct{ name, start, end, want string }{
		{name: "whole lines", start: "1,0", end: "3,0", want: "2-3"},
		{name: "to the middle of a line", start: "1,2", end: "3,4", want: "2-4"},
		{name: "a cursor is its line", start: "4,7", end: "4,7", want: "5-5"},
		{name: "backwards", start: "4,0", end: "2,0", want: "none"},
		{name: "before the file", start: "-7,0", end: "-3,0", want: "none"},
		{name: "larger than any file", start: "9223372036854775807,0", end: "9223372036854775807,1", want: "none"},
		{name: "to the end of anything", start: "0,0", end: "9223372036854775806,0", want: "1-9223372036854775806"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l [4]int
			if _, err := fmt.Sscanf(c.start+" "+c.end, "%d,%d %d,%d", &l[0], &l[1], &l[2], &l[3]); err != nil {
				t.Fatal(err)
			}
			raw := fmt.Sprintf(`{"type":"resource_link","uri":"file:///a","_meta":{"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}}}`, l[0], l[1], l[2], l[3])
			bs, err := Blocks([]json.RawMessage{[]byte(raw)})
			if err != nil {
				t.Fatal(err)
			}
			got := "none"
			if n := bs[0].Lines; n != nil {
				got = fmt.Sprintf("%d-%d", n.First, n.Last)
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// What a client says about a block comes back with the prompt's echo.
func TestMentionsAreKept(t *testing.T) {
	for _, c := range []struct{ name, sent, back string }{
		{name: "of a file", sent: `{"type":"resource_link","uri":"file:///a","name":"a","_meta":{"emendo":{"kind":"file","label":"@a"}}}`},
		{name: "of lines", sent: `{"type":"resource_link","uri":"file:///a","name":"a","_meta":{"range":{"start":{"line":1,"character":0},"end":{"line":3,"character":0}},"emendo":{"kind":"selection","label":"a:2-3"}}}`},
		{name: "of a text", sent: `{"type":"text","text":"x","_meta":{"emendo":{"kind":"paste"}}}`},
		{name: "on two lines", sent: `{"type":"text","text":"x","_meta":{"emendo":{"kind":"paste","label":"a\n\u202eb"}}}`, back: `{"type":"text","text":"x","_meta":{"emendo":{"kind":"paste","label":"a b"}}}`},
		{name: "without a kind", sent: `{"type":"text","text":"x","_meta":{"emendo":{"label":"a"}}}`, back: `{"type":"text","text":"x"}`},
		{name: "of another shape", sent: `{"type":"text","text":"x","_meta":{"emendo":7}}`, back: `{"type":"text","text":"x"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			bs, err := Blocks([]json.RawMessage{[]byte(c.sent)})
			if err != nil {
				t.Fatal(err)
			}
			want := c.back
			if want == "" {
				want = c.sent
			}
			if got := string(Contents(bs)[0]); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestBlocksThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		name, blocks string
		empty        bool
	}{
		{name: "none", blocks: `[]`, empty: true},
		{name: "white space alone", blocks: `[{"type":"text","text":" \n"}]`, empty: true},
		{name: "text without text", blocks: `[{"type":"text"}]`},
		{name: "an unknown kind", blocks: `[{"type":"smell","text":"x"}]`},
		{name: "no kind", blocks: `[{}]`},
		{name: "a picture without data", blocks: `[{"type":"image","mimeType":"image/png"}]`},
		{name: "a picture of no type", blocks: `[{"type":"image","data":"AQ=="}]`},
		{name: "data that is no base64", blocks: `[{"type":"image","mimeType":"image/png","data":"?"}]`},
		{name: "a link to nothing", blocks: `[{"type":"resource_link","name":"x"}]`},
		{name: "a resource without content", blocks: `[{"type":"resource","resource":{"uri":"file:///a"}}]`},
		{name: "no object", blocks: `[7]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var raw []json.RawMessage
			if err := json.Unmarshal([]byte(c.blocks), &raw); err != nil {
				t.Fatal(err)
			}
			if bs, err := Blocks(raw); err == nil || errors.Is(err, transcript.ErrNoPrompt) != c.empty {
				t.Errorf("%+v, %v", bs, err)
			}
		})
	}
}
