package compact_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/agent/compact"
)

func TestTruncate(t *testing.T) {
	long := strings.Repeat("a", 300) + strings.Repeat("m", 1000) + strings.Repeat("z", 700)
	for _, tt := range []struct {
		name string
		text string
		most int
		path string
		want string
	}{
		{"what fits stays", "abc", 3, "/o.txt", "abc"},
		{"characters count, not bytes", strings.Repeat("漢", 100), 100, "", strings.Repeat("漢", 100)},
		{
			"a fifth of the beginning and four of the end", long, 1000, "/o.txt",
			"(This output is too long. Below are its first 200 and last 800 characters. The full text is in /o.txt: search it with grep_search, or read a part with read_file; commands can read it too.)\n\n" +
				strings.Repeat("a", 200) + "\n\n(1000 characters omitted)\n\n" + strings.Repeat("m", 100) + strings.Repeat("z", 700),
		},
		{
			"nowhere else", long, 10, "",
			"(This output is too long. Below are its first 2 and last 8 characters. The rest was not saved.)\n\naa\n\n(1990 characters omitted)\n\nzzzzzzzz",
		},
		{"a cut that makes nothing shorter", strings.Repeat("x", 1010), 1000, "/o.txt", strings.Repeat("x", 1010)},
		{"no bound", long, 0, "", long},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := compact.Truncate(tt.text, tt.most, compact.Where(tt.path, 0)); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestClippedTextIsShortAndValid(t *testing.T) {
	const around = 300 // bytes of words around the cut
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"a", "é", "漢字", "😀 ", "\xff", "line\n"}).Draw(t, "piece")
		text := strings.Repeat(piece, rapid.IntRange(0, 50_000).Draw(t, "times"))
		most := rapid.IntRange(-1, 60_000).Draw(t, "most")
		got := compact.Truncate(text, most, "/o.txt")
		if len(got) > len(text) || len(got) > 64<<10+around && len(text) > len(got) {
			t.Fatalf("%d bytes of %d", len(got), len(text))
		}
		if got != text && most > 0 && utf8.RuneCountInString(got) > most+around {
			t.Fatalf("%d characters, bound %d", utf8.RuneCountInString(got), most)
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Fatal("a character was cut in two")
		}
	})
}

func TestNoMoreThan64KiBGoToAModel(t *testing.T) {
	text := strings.Repeat("漢", 40_000) // 120 kB
	if compact.Fits(text, 40_000) {
		t.Error("120 kB fit")
	}
	if got := compact.Truncate(text, 40_000, ""); len(got) > 64<<10+300 {
		t.Errorf("%d bytes are left", len(got))
	}
}

func TestLargest(t *testing.T) {
	for _, tt := range []struct {
		name        string
		setting     int
		limit, used int64
		want        int
	}{
		{"the setting", 40_000, 1_000_000, 20_000, 40_000},
		{"what is left of the context", 40_000, 100_000, 95_000, 20_000},
		{"an answer says something, however full it is", 40_000, 100_000, 200_000, 1000},
		{"no bound", 0, 100_000, 95_000, 0},
		{"no bound either", -1, 100_000, 95_000, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := compact.Largest(tt.setting, tt.limit, tt.used); got != tt.want {
				t.Errorf("%d, want %d", got, tt.want)
			}
		})
	}
}

func TestFileName(t *testing.T) {
	for _, tt := range []struct{ name, tool, call, want string }{
		{"a call by a number", "grep_search", "call_7x", "grep_search_call_7x.txt"},
		{"one that has the tool's name", "grep_search", "grep_search-17-3", "grep_search-17-3.txt"},
		{"in lower case", "MCP_Tool", "Call-A", "mcp_tool_call-a.txt"},
		{"a name that leads elsewhere", "../x", "a/b\\c:d", "___x_a_b_c_d.txt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := compact.FileName(tt.tool, tt.call); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestATextThatWasCutIsNotCalledComplete(t *testing.T) {
	const want = "All of it but 7 bytes in the middle is in /o.txt: search it with grep_search, or read a part with read_file."
	if got := compact.Where("/o.txt", 7); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
