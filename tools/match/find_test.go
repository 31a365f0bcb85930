package match

import (
	"errors"
	"strings"
	"testing"
)

const goFile = "package a\n\nfunc First(n int) int {\n\tif n > 10 {\n\t\treturn n * 2\n\t}\n\treturn n\n}\n\nfunc Second(n int) int {\n\tif n > 20 {\n\t\treturn n * 2\n\t}\n\treturn n\n}\n"

func TestFind(t *testing.T) {
	tests := []struct {
		name           string
		text, old, new string
		multiple       bool
		want           string // the whole text, or "refused: " and the kind
	}{
		{name: "an exact occurrence is replaced literally", text: "a b  c\n", old: "b  c", new: "\u201cx\u201d", want: "a \u201cx\u201d\n"},
		{name: "exact text in two places is refused", text: goFile, old: "return n * 2", new: "return n", want: "refused: many"},
		{name: "all places with multiple", text: "x\ny\nx\n", old: "x", new: "z", multiple: true, want: "z\ny\nz\n"},
		{name: "white space does not tell places apart", text: "if a {\n\tf()\n}\nif a {\n\t\tf()\n\t}\n", old: "if a {\n  f()\n}", new: "g()", want: "refused: many"},
		{name: "indentation in spaces is found and the file's tabs are kept", text: goFile, old: "    if n > 10 {\n        return n * 2\n    }\n", new: "    if n > 10 {\n        log(n)\n        return n * 3\n    }\n", want: strings.Replace(goFile, "10 {\n\t\treturn n * 2", "10 {\n\t\tlog(n)\n\t\treturn n * 3", 1)},
		{name: "a passage without its common indent", text: goFile, old: "if n > 10 {\n\treturn n * 2\n}\n", new: "if n > 10 {\n\treturn n * 3\n}\n", want: strings.Replace(goFile, "10 {\n\t\treturn n * 2", "10 {\n\t\treturn n * 3", 1)},
		{name: "a new block goes one step deeper than its neighbours", text: goFile, old: "  if n > 20 {\n    return n * 2\n  }", new: "  if n > 20 {\n    if n > 30 {\n      return 1\n    }\n    return n * 2\n  }", want: strings.Replace(goFile, "20 {\n", "20 {\n\t\tif n > 30 {\n\t\t\treturn 1\n\t\t}\n", 1)},
		{name: "kept lines that are wrapped go deeper", text: goFile, old: "func Second(n int) int {\n  if n > 20 {\n    return n * 2\n  }\n", new: "func Second(n int) int {\n  for {\n    if n > 20 {\n      return n * 2\n    }\n  }\n", want: strings.Replace(goFile, "\tif n > 20 {\n\t\treturn n * 2\n\t}\n", "\tfor {\n\t\tif n > 20 {\n\t\t\treturn n * 2\n\t\t}\n\t}\n", 1)},
		{name: "a blank line that the model left out stays", text: "a = 1\n\nb = 2\nc = 3\n", old: "a = 1\nb = 2\nc = 3", new: "a = 1\nb = 2\nc = 4", want: "a = 1\n\nb = 2\nc = 4\n"},
		{name: "curly quotes are corrected in new lines", text: "say(\"hi\")\n", old: "say(\u201chi\u201d)", new: "say(\u201cho\u201d)\nsay(\u201cha\u201d)", want: "say(\"ho\")\nsay(\"ha\")\n"},
		{name: "curly quotes of the file stay", text: "// the \u201cbest\u201d  way\n", old: "// the \"best\" way", new: "// the \"best\" road", want: "// the \u201cbest\u201d  road\n"},
		{name: "old without its indent and new with it", text: goFile, old: "if n > 10 {\nreturn n * 2\n}", new: "\tif n > 10 {\n\t\tlog(n)\n\t\treturn n * 2\n\t}", want: strings.Replace(goFile, "10 {\n", "10 {\n\t\tlog(n)\n", 1)},
		{name: "lines a column off stay where they are", text: goFile, old: " \tif n > 10 {\n\t\treturn n * 2\n\t}\n", new: "\tif n > 10 {\n \t\treturn n * 3\n \t}\n", want: strings.Replace(goFile, "10 {\n\t\treturn n * 2", "10 {\n\t\treturn n * 3", 1)},
		{name: "a new line left of one that stands flush left", text: "a\nb\nc\n", old: " b\n", new: " b\nx\n", want: "a\nb\nx\nc\n"},
		{name: "a code fence is taken away", text: goFile, old: "```go\nif n > 10 {\n```", new: "```go\nif n > 11 {\n```", want: strings.Replace(goFile, "10", "11", 1)},
		{name: "half a fence around new is taken away with the one around old", text: goFile, old: "```go\nif n > 10 {\n```", new: "```go\nif n > 11 {\n", want: strings.Replace(goFile, "10", "11", 1)},
		{name: "a fence around old alone leaves the line end", text: "a\nfoo\nb\n", old: "```\nfoo\n```", new: "bar", want: "a\nbar\nb\n"},
		{name: "a fence around part of a line", text: "x = foo(1) + 2\n", old: "```\nfoo(1)\n```", new: "foo(2)", want: "x = foo(2) + 2\n"},
		{name: "a fence that is meant stays", text: "# T\nTODO\n", old: "TODO", new: "```\nx\n```", want: "# T\n```\nx\n```\n"},
		{name: "an inserted token keeps the model's spacing", text: "function f(a) {\n", old: "function f(a){", new: "function f(a): number{", want: "function f(a): number {\n"},
		{name: "trailing blanks of an old line are not in a new one", text: "a  =  1  \n", old: "a = 1", new: "a = 2", want: "a  =  2\n"},
		{name: "trailing blanks of an unchanged line stay", text: "a  =  1  \nb\n", old: "a = 1\nb", new: "a = 1\nc", want: "a  =  1  \nc\n"},
		{name: "full-width letters and brackets", text: "print(name)\n", old: "ｐｒｉｎｔ（name）", new: "ｐｒｉｎｔ（name，ｘ）", want: "print(name,x)\n"},
		{name: "half-width letters of the file stay", text: "say ｶﾅ\nend\n", old: "say カナ\nend", new: "say カナ\nstop", want: "say ｶﾅ\nstop\n"},
		{name: "typographic quotes in a part of a line", text: "x := f(\"a\") + 1\n", old: "f(\u201ca\u201d)", new: "f(\u201cb\u201d)", want: "x := f(\"b\") + 1\n"},
		{name: "typographic quotes of the file in a part of a line", text: "the \u201cbest\u201d way\n", old: "\"best\" way", new: "\"best\" road", want: "the \u201cbest\u201d road\n"},
		{name: "a letter that looks like an apostrophe", text: "don't stop\n", old: "don\u02bct stop", new: "don\u02bct go", want: "don't go\n"},
		{name: "no-break spaces in a part of a line", text: "return a + b;\n", old: "a\u00a0+\u00a0b", new: "a\u00a0-\u00a0b", want: "return a - b;\n"},
		{name: "a no-break space of the file in a part of a line", text: "10\u00a0km away\r\nx\r\n", old: "10 km", new: "12 km", want: "12\u00a0km away\r\nx\r\n"},
		{name: "a part of a line in two places but for typography", text: "f(\"a\") f(\"a\")\n", old: "f(\u201ca\u201d)", new: "g()", want: "refused: many"},
		{name: "another number in full width is refused", text: "x = 12\n", old: "x = １３", new: "x = 14", want: "refused: missing"},
		{name: "line numbers are taken away", text: goFile, old: "11: \tif n > 20 {\n12: \t\treturn n * 2\n", new: "11: \tif n > 20 {\n12: \t\treturn n * 3\n", want: strings.Replace(goFile, "20 {\n\t\treturn n * 2", "20 {\n\t\treturn n * 3", 1)},
		{name: "line numbers with a tab and unnumbered new lines", text: goFile, old: "    11\t\tif n > 20 {\n    12\t\t\treturn n * 2\n", new: "\tif n > 21 {\n\t\treturn n * 2\n", want: strings.Replace(goFile, "20", "21", 1)},
		{name: "escapes are undone", text: "f(\"a\\n\")\ng()\n", old: `f(\"a\\n\")\ng()`, new: `f(\"b\\n\")\ng()`, want: "f(\"b\\n\")\ng()\n"},
		{name: "entities are undone", text: "if a < b && c {\n", old: "if a &lt; b &amp;&amp; c {", new: "if a &gt; b &amp;&amp; c {", want: "if a > b && c {\n"},
		{name: "a misspelled word is understood", text: "func calculateTotal(a int) int {\n\treturn a\n}\n", old: "func calcualteTotal(a int) int {\n\treturn a\n", new: "func calcualteTotal(a int) int {\n\treturn a + 1\n", want: "func calculateTotal(a int) int {\n\treturn a + 1\n}\n"},
		{name: "a number that is no line number is refused", text: "\"http\"\n\"smtp\"\n", old: "8080: \"http\"", new: "8081: \"http\"", want: "refused: missing"},
		{name: "the number of the line is understood", text: "a\nb\nc\n", old: "2: b", new: "2: B", want: "a\nB\nc\n"},
		{name: "a list is not a numbered passage", text: "eggs\nmilk\n", old: "1. eggs\n2. milk", new: "1. eggs\n2. oats", want: "refused: missing"},
		{name: "a list is not a diff", text: "eggs\nmilk\n", old: "- eggs\n- milk", new: "- eggs\n- oats", want: "refused: missing"},
		{name: "a diff is understood", text: "eggs\nmilk\n", old: " eggs\n-milk", new: " eggs\n+oats", want: "eggs\noats\n"},
		{name: "a pipe is not a bar", text: "sort -u\n", old: "| sort -u", new: "| sort", want: "refused: missing"},
		{name: "all places that white space garbles with multiple", text: "if a {\n\tf()\n}\nif a {\n\t\tf()\n\t}\n", old: "if a {\n  f()\n}", new: "if a {\n  g()\n}", multiple: true, want: "if a {\n\tg()\n}\nif a {\n\t\tg()\n\t}\n"},
		{name: "another name is refused", text: goFile, old: "func Third(n int) int {\n\tif n > 10 {", new: "x", want: "refused: missing"},
		{name: "another number is refused", text: goFile, old: "if n > 15 {", new: "if n > 16 {", want: "refused: missing"},
		{name: "another operator is refused", text: goFile, old: "if n >= 10 {", new: "if n > 16 {", want: "refused: missing"},
		{name: "a plural is another name", text: "readHeader(x)\n", old: "readHeaders(x)", new: "y", want: "refused: missing"},
		{name: "bare dots in old are refused", text: goFile, old: "func First(n int) int {\n...\n}", new: "func First(n int) int {\n}", want: "refused: missing"},
		{name: "empty old on a file with text is refused", text: "a\n", old: "", new: "b", want: "refused: notempty"},
		{name: "empty old on an empty file writes it", text: "", old: "", new: "b\n", want: "b\n"},
		{name: "the same text is no change", text: "a\n", old: "a", new: "a", want: "refused: nochange"},
		{name: "CRLF of the file are kept", text: "a\r\nb\r\nc\r\n", old: "a\nb\n", new: "a\nx\ny\n", want: "a\r\nx\r\ny\r\nc\r\n"},
		{name: "mixed line ends stay with their lines", text: "a\r\nb\nc\r\nd\n", old: "a\nb\nc\n", new: "a\nB\nc\n", want: "a\r\nB\nc\r\nd\n"},
		{name: "a missing final line end stays missing", text: "a\nb", old: "a\nb\n", new: "a\nc\n", want: "a\nc"},
		{name: "the last line is taken away", text: "a\nb", old: " b\n", new: "", want: "a"},
		{name: "lines are taken away", text: "a\n\tb\nc\n", old: "  b\nc ", new: "", want: "a\n"},
		{name: "a line added after the last", text: "a\nb", old: "a\nb\n", new: "a\nb\nc\n", want: "a\nb\nc"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Find(tt.text, tt.old, tt.new, tt.multiple)
			got := f.Apply(tt.text)
			var r *Refusal
			if errors.As(err, &r) {
				got = "refused: " + string(r.Kind)
				if r.Reason == "" || r.Quote == "" && r.Kind != NoChange {
					t.Errorf("a refusal without words or quote: %#v", r)
				}
			}
			if got != tt.want {
				t.Errorf("got  %q\nwant %q\nerr %v", got, tt.want, err)
			}
		})
	}
}
