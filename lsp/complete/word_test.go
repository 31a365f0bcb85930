package complete

import (
	"testing"

	"github.com/emendo-dev/emendo/ide"
)

func TestMentionBeforeTheCursor(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       word
		not        bool
	}{
		{name: "just begun", text: "See @", want: word{4, ""}},
		{name: "a path", text: "@lsp/ser", want: word{0, "lsp/ser"}},
		{name: "in brackets", text: "it (@a", want: word{4, "a"}},
		{name: "with a blank", text: `see @a\ b`, want: word{4, "a b"}},
		{name: "in quotes", text: `see @"a b`, want: word{4, "a b"}},
		{name: "the second of two", text: "@a.go and @b", want: word{10, "b"}},
		{name: "an at sign in a path", text: "@pkg@2/x", want: word{0, "pkg@2/x"}},
		{name: "quotes that have ended", text: `@"a b"`, not: true},
		{name: "a word after it", text: "@a.go b", not: true},
		{name: "an address", text: "me@example", not: true},
		{name: "none", text: "hello", not: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := mentionBefore(c.text)
			if ok == c.not || got != c.want {
				t.Errorf("got %+v, %t", got, ok)
			}
		})
	}
}

func TestCommandBeforeTheCursor(t *testing.T) {
	for text, want := range map[string]word{"/": {0, ""}, "/mo": {0, "mo"}, "\n /mo": {2, "mo"}} {
		if got, ok := commandBefore(text); !ok || got != want {
			t.Errorf("%q: got %+v, %t", text, got, ok)
		}
	}
	for _, text := range []string{"", "see /mo", "/mode plan", "/tmp/x"} {
		if got, ok := commandBefore(text); ok {
			t.Errorf("%q: got %+v", text, got)
		}
	}
}

// An inserted mention is parsed as the same path when the prompt is sent.
func TestMentionsKeepThePath(t *testing.T) {
	for _, path := range []string{"main.go", "a b.go", `a "b".go`, "ä/ö ü.txt", `"x".go`} {
		got, ok := mentionBefore(mention(path))
		if mention(path) == `@"`+path+`"` { // the closing quote ends the word
			got, ok = mentionBefore(`@"` + path)
		}
		if !ok || got.query != path {
			t.Errorf("%s is inserted as %s and read as %q", path, mention(path), got.query)
		}
	}
}

func TestOffsetsCountUnits(t *testing.T) {
	const text = "é😀@a"
	for _, c := range []struct {
		e            ide.Encoding
		units, bytes int
	}{
		{ide.UTF16, 0, 0},
		{ide.UTF16, 1, 2},
		{ide.UTF16, 2, 2},
		{ide.UTF16, 3, 6},
		{ide.UTF16, 5, 8},
		{ide.UTF16, 99, 8},
		{ide.UTF8, 2, 2},
		{ide.UTF8, 3, 2},
		{ide.UTF8, 6, 6},
		{ide.UTF8, 99, 8},
	} {
		if got := bytesOf(text, c.units, c.e); got != c.bytes {
			t.Errorf("%d units of %s: got %d, want %d", c.units, c.e, got, c.bytes)
		}
	}
	if n := unitsBefore(text, ide.UTF16); n != 5 {
		t.Errorf("%d units", n)
	}
}
