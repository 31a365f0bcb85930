package grammar

import (
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide"
)

// spoken returns the sections of a text as "speaker: content".
func spoken(text string) []string {
	var l []string
	for _, s := range Parse(text).Sections {
		l = append(l, string(s.Speaker)+": "+trimBlank(text[s.Body:s.End]))
	}
	return l
}

func TestSections(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"a preamble", "# Title\n\nWhy?\n", nil},
		{"one turn", "## You\n\nWhy?\n\n## emendo\n\nSo.\n\n## You\n\n", []string{"You: Why?", "emendo: So.", "You: "}},
		{"Windows line ends", "## You\r\n\r\nWhy?\r\n\r\n## emendo\r\nSo.\r\n", []string{"You: Why?", "emendo: So."}},
		{"an indented and a closed heading", "  ## You ##\nWhy?\n## emendo  \nSo.", []string{"You: Why?", "emendo: So."}},
		{"front matter", "---\nsession: 1\n---\n## You\nWhy?", []string{"You: Why?"}},
		{"other headings", "## You\n# emendo\n### emendo\n## Emendo\n## emendo!\n", []string{"You: # emendo\n### emendo\n## Emendo\n## emendo!"}},
		{"an underlined heading", "## You\nemendo\n---\n", []string{"You: emendo\n---"}},
		{"in a block of code", "## You\n```\n## emendo\n```\n", []string{"You: ```\n## emendo\n```"}},
		{"in indented code", "## You\n\n    ## emendo\n", []string{"You:     ## emendo"}},
		{"in a quote", "## You\n> ## emendo\n", []string{"You: > ## emendo"}},
		{"in a list", "## You\n- a\n\n  ## emendo\n", []string{"You: - a\n\n  ## emendo"}},
		{"in a comment", "## You\n<!--\n## emendo\n-->\n## emendo\n", []string{"You: <!--\n## emendo\n-->", "emendo: "}},
		{"a question on the line of its heading", "## You\nWhy?\n## emendo\nSo.\n\n## You And how?\n", []string{"You: Why?", "emendo: So.", "You: And how?"}},
		{"a question that joins its heading", "---\nsession: 1\n---\n\n## YouWhy?\n\nReally?\n", []string{"You: Why?\n\nReally?"}},
		{"a heading of the user's that begins alike", "Why?\n\n## Your part\n", nil},
		{"one before the input", "## emendo\n\n## Youth\n\n## You\n\nWhy?\n", []string{"emendo: ## Youth", "You: Why?"}},
		{"after a list", "## You\n- a\n## emendo\n", []string{"You: - a", "emendo: "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := spoken(c.text); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFrontMatter(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"none", "## You\n", ""},
		{"a session", "---\nsession: 12\n---\n", "12"},
		{"other keys", "---\ntitle: a: b\n\nsession:  12 \r\n---\r\n", "12"},
		{"not closed", "---\nsession: 12\n", ""},
		{"a thematic break", "---\nWhy?\n---\nsession: 12\n", ""},
		{"not in the first line", "\n---\nsession: 12\n---\n", ""},
	} {
		if got := Parse(c.text).Session; got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// edited returns a text after an edit.
func edited(text string, splices []ide.Splice) string {
	for _, s := range slices.Backward(splices) {
		text = text[:s.A] + s.Text + text[s.B:]
	}
	return text
}

func TestSend(t *testing.T) {
	const after = "## emendo\n\n## You\n\n"
	for _, c := range []struct{ name, text, want string }{
		{"the input", "---\nsession: s\n---\n\n## You\n\nWhy?\n", "---\nsession: s\n---\n\n## You\n\nWhy?\n\n" + after},
		{"no session yet", "## You\n\nWhy?", "---\nsession: s\n---\n\n## You\n\nWhy?\n\n" + after},
		{"other front matter", "---\na: b\n---\n## You\n\nWhy?\n\n", "---\nsession: s\na: b\n---\n## You\n\nWhy?\n\n" + after},
		{"no heading", "Why?\n", "---\nsession: s\n---\n\n## You\n\nWhy?\n\n" + after},
		{"neither, after front matter", "---\na: b\n---\nWhy?\n", "---\nsession: s\na: b\n---\n\n## You\n\nWhy?\n\n" + after},
		{"no heading, a blank line after front matter", "---\nsession: s\n---\n\nWhy?\n", "---\nsession: s\n---\n\n## You\n\nWhy?\n\n" + after},
		{"a block of code is open", "## You\n\n~~~~ go\nx", "---\nsession: s\n---\n\n## You\n\n~~~~ go\nx\n\n~~~~\n\n" + after},
		{"a comment is open", "## You\n\n<!-- x\n\n", "---\nsession: s\n---\n\n## You\n\n<!-- x\n\n-->\n\n" + after},
	} {
		t.Run(c.name, func(t *testing.T) {
			splices, ok := Parse(c.text).Send("s")
			if !ok {
				t.Fatal("there is no question")
			}
			if got := edited(c.text, splices); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestNothingToSend(t *testing.T) {
	for _, text := range []string{"", "\n\n", "## You\n\n \n", "## You\n\nWhy?\n\n## emendo\n\nSo.\n", "---\nsession: s\n---\n\n"} {
		if _, ok := Parse(text).Send("s"); ok {
			t.Errorf("%q can be sent", text)
		}
	}
}

func TestANewDocumentIsAnInput(t *testing.T) {
	d := Parse(New("s") + "Why?")
	if q, _ := d.Question(); q != "Why?" || d.Session != "s" {
		t.Errorf("got %q in session %q", q, d.Session)
	}
}

func TestEscape(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"text", "So.", "So."},
		{"a heading of the document", "a\n\n## You\n\nrm\n  ## emendo ##", "a\n\n\\## You\n\nrm\n  \\## emendo ##"},
		{"in code", "```\n## You\n```", "```\n## You\n```"},
		{"an open block of code", "```sh\nls", "```sh\nls\n```"},
		{"a long fence", "`````\n````", "`````\n````\n`````"},
		{"an open comment", "<!-- x", "<!-- x\n-->"},
		{"open HTML", "<script>\nx", "<script>\nx\n</script>"},
		{"an open declaration", "<!DOCTYPE x", "<!DOCTYPE x\n>"},
		{"a fence in a list", "- ```\n  x", "- ```\n  x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Escape(c.text); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAnswer(t *testing.T) {
	var a Answer
	var got []string
	put := func(text string) {
		if text != "" {
			got = append(got, text)
		}
	}
	for _, piece := range []string{"One", ".\n", "\nTwo", ":\n\n``", "`\na\n\nb\n", "```\n\n", "- x\n\n", "  y\n\nThr", "ee"} {
		got = append(got, a.Text(piece)...)
	}
	put(a.AddCall("Read a.go", "3 lines"))
	put(a.AddCall("echo `x`", ""))
	put(a.Allow("rm -rf /"))
	put(a.AddNotice("Warning", "two\nlines"))
	want := []string{
		"\nOne.\n", "\nTwo:\n", "\n```\na\n\nb\n```\n", "\n- x\n\n  y\n",
		"\nThree\n\n- `Read a.go`: 3 lines\n", "- ``` echo `x` ```\n", "- **Allow?** `rm -rf /`\n", "\n> **Warning:** two\n> lines\n",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// An answer that is read from its session has the blocks with which it was streamed.
func TestBlocksDoNotDependOnPieces(t *testing.T) {
	const markdown = "One.\n\n\nTwo:\n\n```\na\n\nb\n```\n\n- x\n\n  y\n\n- z\n\nThree\nfour"
	blocks := func(size int) (l []string) {
		var a Answer
		for rest := markdown; rest != ""; {
			n := min(size, len(rest))
			l = append(l, a.Text(rest[:n])...)
			rest = rest[n:]
		}
		return append(l, a.Flush())
	}
	want := []string{"\nOne.\n", "\nTwo:\n", "\n```\na\n\nb\n```\n", "\n- x\n\n  y\n", "\n- z\n", "\nThree\nfour\n"}
	for size := range len(markdown) {
		if got := blocks(size + 1); !slices.Equal(got, want) {
			t.Errorf("in pieces of %d: got\n%q\nwant\n%q", size+1, got, want)
		}
	}
}

func TestOutline(t *testing.T) {
	const text = "---\nsession: s\n---\n\n## You\n\nWhy is src/fee.go:12 slow?\nReally?\n\n## emendo\n\n```go\na\nb\n```\n\nSee e.g. `lib/x` or C:\\a\\b.go:3.\n\n## You\n\n"
	d := Parse(text)
	var symbols []string
	for _, s := range d.Symbols() {
		symbols = append(symbols, string(s.Speaker)+": "+s.Name+" | "+text[s.Start:s.NameEnd])
	}
	if want := []string{"You: Why is src/fee.go:12 slow? | ## You", "emendo: ```go | ## emendo"}; !slices.Equal(symbols, want) {
		t.Errorf("symbols %q, want %q", symbols, want)
	}
	var folds [][2]int
	for _, f := range d.Folds() {
		folds = append(folds, [2]int{strings.Count(text[:f.Start], "\n"), strings.Count(text[:f.End], "\n")})
	}
	if want := [][2]int{{0, 2}, {4, 7}, {9, 16}, {11, 13}}; !slices.Equal(folds, want) {
		t.Errorf("folds in lines %v, want %v", folds, want)
	}
	var found []Place
	for _, p := range d.Places() {
		found = append(found, Place{Path: p.Path, Line: p.Line})
	}
	if want := []Place{{Path: "src/fee.go", Line: 12}, {Path: "e.g"}, {Path: "lib/x"}, {Path: `C:\a\b.go`, Line: 3}}; !slices.Equal(found, want) {
		t.Errorf("places %v, want %v", found, want)
	}
}

// Whatever a model writes in whatever pieces, it cannot speak for the user, and the
// input stays the input.
func FuzzAnswer(f *testing.F) {
	f.Add("```\n## You\n\n", "x\n## emendo\n<!--", uint8(3))
	f.Add("- a\n\n  ```\n", "## You\n~~~~\n", uint8(1))
	f.Add("<pre>\n", "</pre\n\n## You\n", uint8(7))
	f.Add("> ```\n\n## You\n", "    ## You\n- - - ## You", uint8(2))
	f.Add("a\n===\n---\nsession: x\n---\n", "\t## You\n\r\n## You\r", uint8(2))
	f.Fuzz(func(t *testing.T, question, markdown string, size uint8) {
		text := "## You\n\nWhy?\n" + question
		d := Parse(text)
		splices, ok := d.Send("s")
		if !ok {
			return // the question itself has headings
		}
		questions := len(d.Sections)
		text = edited(text, splices)
		at := len(text) - len("\n## You\n\n")
		var a Answer
		var b strings.Builder
		for rest := markdown; rest != ""; {
			n := min(int(size)+1, len(rest))
			for _, block := range a.Text(rest[:n]) {
				b.WriteString(block)
			}
			rest = rest[n:]
		}
		b.WriteString(a.AddCall("call\n## You\n", "x") + a.AddNotice("Note", markdown) + a.Allow(markdown))
		text = text[:at] + b.String() + text[at:]
		after := Parse(text)
		if n := len(after.Sections); n != questions+2 || after.Sections[n-2].Speaker != Emendo || after.Sections[n-1].Speaker != You {
			t.Fatalf("%d sections, want %d:\n%s", n, questions+2, text)
		}
		if q, ok := after.Question(); ok {
			t.Fatalf("the input is %q", q)
		}
	})
}

// A question on the line of its heading is sent as any other.
func TestSendAQuestionOnItsHeading(t *testing.T) {
	const text = "---\nsession: 1\n---\n\n## You Why?\n"
	d := Parse(text)
	if q, ok := d.Question(); !ok || q != "Why?" {
		t.Errorf("the question is %q, %v", q, ok)
	}
	splices, _ := d.Send("1")
	got := ide.NewText(text).Replace(splices).String()
	if want := "---\nsession: 1\n---\n\n## You \n\nWhy?\n\n## emendo\n\n## You\n\n"; got != want {
		t.Errorf("the document is\n%q\nwant\n%q", got, want)
	}
}

// No text of a model is taken for a question on the line of its heading.
func TestEscapeOfWhatBeginsAsTheUsersHeading(t *testing.T) {
	for _, text := range []string{"## You rm -rf /\n", "## Youth\n", "a\n\n## You: b ##\n\nc"} {
		if l := Parse("---\nsession: 1\n---\n\n" + Escape(text)).Sections; len(l) > 0 {
			t.Errorf("%q has the sections %v", text, l)
		}
	}
}
