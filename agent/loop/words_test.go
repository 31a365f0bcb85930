package loop_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/agent/loop"
)

// other is a text without repetition.
func other(from, lines int) string {
	var b strings.Builder
	for n := from; n < from+lines; n++ {
		fmt.Fprintf(&b, "%d times the %x part of %o was %d\n\n", n*7919, n*104729, n*31, n*n)
	}
	return strings.ReplaceAll(strings.ReplaceAll(b.String(), ". ", ", "), "\n\n", " and ")
}

func each(lines int, line func(n int) string) string {
	var b strings.Builder
	for n := range lines {
		b.WriteString(line(n))
	}
	return b.String()
}

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		name string
		text string
		want bool
	}{
		{"a passage ten times", strings.Repeat(passage, 10), true},
		{"nine times", strings.Repeat(passage, 9), false},
		{"nine times and the most of it", strings.Repeat(passage, 9) + passage[:49], false},
		{"after other things", other(0, 50) + strings.Repeat(passage, 10), true},
		{"on lines of their own", strings.Repeat(passage+"\n\n", 10), true},
		{"a short passage", strings.Repeat("Let me see. ", 60), true},
		{"a short passage for as long as a long one takes", strings.Repeat("Let me see. ", 30), false},
		{"one character", strings.Repeat("a", 500), true},
		{"a passage that is not ASCII", strings.Repeat("これからファイルを見て、何があるかを確認します。次に、", 20), true},
		{"far apart", each(12, func(n int) string { return passage + " " + other(10*n, 8) }), false},
		{"with something else after each", each(12, func(n int) string { return passage + other(n, 1) }), false},
		{"with one of a few after each", each(12, func(n int) string { return passage + strings.Repeat("x", n%4) }), true},
		{"text without repetition", other(0, 400), false},
		{"a list", each(40, func(n int) string { return "- " + passage + "\n" }), false},
		{"a numbered list", each(40, func(n int) string { return fmt.Sprintf("%d. %s\n", n, passage) }), false},
		{"headings between", strings.Repeat("## Next\n"+passage+"\n", 20), false},
		{"a quotation", strings.Repeat("> "+passage+"\n", 20), false},
		{"a table", strings.Repeat("| "+passage+" | x |\n", 20), false},
		{"code", "```go\n" + strings.Repeat("\tif err != nil {\n\t\treturn fmt.Errorf(\"reading: %w\", err)\n\t}\n", 40) + "```\n", false},
		{"code in tildes, with ticks in it", "~~~\n```\n" + strings.Repeat(passage+"\n", 20) + "~~~\n", false},
		{"code in four ticks, with three in it", "````md\n```\n" + strings.Repeat(passage+"\n", 20) + "````\n", false},
		{"code that is indented", "  ```\n" + strings.Repeat(passage+"\n", 20) + "  ```\n", false},
		{"code in an item of a list", "- ```go\n" + strings.Repeat(passage+"\n", 20) + "  ```\n", false},
		{"code in a numbered item", "12.  ~~~\n" + strings.Repeat(passage+"\n", 20) + "~~~\n", false},
		{"after code in an item", "1. ```\nx\n```\n" + strings.Repeat(passage, 10), true},
		{"an item that begins with a word of code", "- `x` " + strings.Repeat(passage, 11), true},
		{"after code", "```\nx\n```\n" + strings.Repeat(passage, 10), true},
		{"around code", strings.Repeat(passage+"\n```\nx\n```\n", 20), false},
		{"ticks that are no fence", "``\n" + strings.Repeat(passage, 10), true},
		{"a long rule", strings.Repeat("=", 2000) + "\n", false},
		{"a box", strings.Repeat("─", 2000) + "\n", false},
		{"rules between", strings.Repeat(passage+"\n---\n", 20), false},
		{"a rule without end", strings.Repeat("=", 6000), true},
		{"spaces without end", strings.Repeat(" ", 6000), true},
		{"a hash that is no heading", strings.Repeat("#include <"+passage+">\n", 12), true},
		{"a number that begins a sentence", strings.Repeat("3 files: "+passage+"\n", 12), true},
		{"bold text is no list", strings.Repeat("**Now.** "+passage+"\n", 12), true},
		{"in one item of a list", "- " + strings.Repeat(passage, 11), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := loop.New(loop.Options{}).Text(tt.text)
			if got := v.Kind == loop.SameWords; got != tt.want {
				t.Errorf("a loop: %v, of %q", got, v.Detail)
			}
			if n := utf8.RuneCountInString(v.Detail); n > 201 {
				t.Errorf("the user sees %d characters", n)
			}
		})
	}
}

func TestAChantIsFoundAtOnce(t *testing.T) {
	g := loop.New(loop.Options{})
	g.Text(strings.Repeat(passage, 9) + passage[:49])
	if v := g.Text(passage[49:]); v.Kind != loop.SameWords || v.Detail != passage {
		t.Errorf("at the end of the tenth: %+v", v)
	}
}

func TestACallBetweenEndsAChant(t *testing.T) {
	g := loop.New(loop.Options{})
	for n := range 4 {
		g.Text(strings.Repeat(passage, 9))
		if v := g.Call("read_file", []byte(fmt.Sprintf(`{"n":%d}`, n))); v.Strike != loop.GoOn {
			t.Fatalf("%+v", v)
		}
	}
}

func TestChunkBoundariesMakeNoDifference(t *testing.T) {
	pieces := []string{passage, "word ", "\n", "```", "~~~", "`", "- ", "1. ", "- ```", "2)  ~~~", "# ", "---", "| a |", "> ", "é漢😀", strings.Repeat(passage, 9), strings.Repeat("ab", 120), "==="}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "pieces"), "")
		want := loop.New(loop.Options{}).Text(text)
		g := loop.New(loop.Options{})
		var got loop.Verdict
		for rest := []rune(text); len(rest) > 0; {
			n := rapid.IntRange(1, min(len(rest), 30)).Draw(t, "cut")
			got = g.Text(string(rest[:n]))
			rest = rest[n:]
		}
		if got != want {
			t.Fatalf("in pieces %+v, whole %+v", got, want)
		}
	})
}

func BenchmarkWords(b *testing.B) {
	text := other(0, 2000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		loop.New(loop.Options{}).Text(text)
	}
}
