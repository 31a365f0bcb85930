package transcript

import (
	"strings"
	"testing"
)

func TestTitleOf(t *testing.T) {
	text := func(s string) Block { return Block{Type: TextBlock, Text: s} }
	for _, c := range []struct {
		name   string
		blocks []Block
		want   string
	}{
		{name: "the first line", blocks: []Block{text("fix it\nplease")}, want: "fix it"},
		{name: "the first line that says anything", blocks: []Block{text(" \n\x1b\n  fix\tit ")}, want: "fix it"},
		{name: "the first block that says anything", blocks: []Block{{Type: ImageBlock}, text(" "), text("this")}, want: "this"},
		{name: "a picture alone has none", blocks: []Block{{Type: ImageBlock, Data: []byte{1}, MIME: "image/png"}}},
		{name: "nothing hidden", blocks: []Block{text("a\x1b[31mb\u202ec\u200b\rd")}, want: "a[31mbc d"},
		{name: "cut at a word", blocks: []Block{text(strings.Repeat("word ", 30))}, want: strings.Repeat("word ", 11) + "word…"},
		{name: "one word is cut anywhere", blocks: []Block{text(strings.Repeat("ä", 99))}, want: strings.Repeat("ä", 60) + "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := TitleOf(c.blocks); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// A later piece of a thought that begins with a subject is a new thought; one with bold
// words inside continues the first.
func TestPiecesOfThoughts(t *testing.T) {
	for _, tt := range []struct {
		piece string
		want  bool
	}{
		{"**Planning**\n\nRound them up.", true},
		{"\n\n**Planning**\n\nRound them up.", true},
		{"**Planning**", true},
		{"**never** round down", false},
		{"it is **never** so", false},
		{" plain", false},
		{"**half of a subject", false},
		{"**a\nb**\n", false},
		{"****\n", false},
	} {
		if got := Headed(tt.piece); got != tt.want {
			t.Errorf("headed(%q) = %t, want %t", tt.piece, got, tt.want)
		}
	}
}
