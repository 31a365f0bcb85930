package visible_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/visible"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain text, with its lines", "a\tb\nc", "a\tb\nc"},
		{"letters of any script", "Größe ключ 鍵\u3000開", "Größe ключ 鍵\u3000開"},
		{"an emoji and the sign that it is made of", "☎\ufe0f ☎\ufe0e", "☎\ufe0f ☎\ufe0e"},
		{"a mark of an emoji behind a letter or another mark", "a.sh\ufe0f\ufe0e \ufe0f\ufe0f", `a.sh\u{FE0F}\u{FE0E} \u{FE0F}\u{FE0F}`},
		{"one that begins", "\ufe0fa", `\u{FE0F}a`},
		{"a second one behind a sign", "☎\ufe0f\ufe0f", "☎\ufe0f" + `\u{FE0F}`},
		{"a carriage return", "a\rb", `a\u{000D}b`},
		{"what steers a terminal", "\x1b[2J", `\u{001B}[2J`},
		{"what turns the direction", "a\u202eb", `a\u{202E}b`},
		{"what is not seen at all", "a\u200bb\u00adc", `a\u{200B}b\u{00AD}c`},
		{"letters that are blank", "a\u3164b\u2800c\u115f\u034f", `a\u{3164}b\u{2800}c\u{115F}\u{034F}`},
		{"other line ends", "a\u2028b\u0085", `a\u{2028}b\u{0085}`},
		{"spaces that are none of the keyboard", "a\u00a0b\u2003c", `a\u{00A0}b\u{2003}c`},
		{"tags", "a\U000e0041b", `a\u{E0041}b`},
		{"variation selectors", "a\U000e0100b\ufe00c", `a\u{E0100}b\u{FE00}c`},
		{"what is no UTF-8", "a\xffb", "a\ufffdb"},
	} {
		if got := visible.Text(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	if got, want := visible.Line("a\n  hook: safe\tb\u202ec.\ufe0f☎\ufe0f"), `a\u{000A}  hook: safe\u{0009}b\u{202E}c.\u{FE0F}☎\u{FE0F}`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestBlock(t *testing.T) {
	for _, c := range []struct{ language, text, want string }{
		{"", "", ""},
		{"", "a", "```\na\n```"},
		{"diff", "+a\n", "```diff\n+a\n```"},
		{"", "a ``` b ```` c", "`````\na ``` b ```` c\n`````"},
		{"", "a\n\n", "```\na\n\n```"},
	} {
		if got := visible.Block(c.language, c.text); got != c.want {
			t.Errorf("%q is shown as %q, want %q", c.text, got, c.want)
		}
	}
}

func TestCutBytes(t *testing.T) {
	for text, want := range map[string]string{"abcd": "abc", "ab€": "ab", "éé": "é", "€x": "€"} {
		if got := visible.CutBytes(text, 3); got != want {
			t.Errorf("%q is cut to %q, want %q", text, got, want)
		}
	}
}

// A plain text, which is not looked at closely, is shown as it would be beside another character.
func TestPlainTextsAreShownAsOthers(t *testing.T) {
	for _, s := range []string{"", "plain", " a  b ", "a\nb", "a\tb", "a\x7fb", "a\x1b[1mb", "~", "\r", "tab\t\n"} {
		if got, want := visible.Text(s)+"é", visible.Text(s+"é"); got != want {
			t.Errorf("Text shows %q as %q, want %q", s, got, want)
		}
		if got, want := visible.Line(s)+"é", visible.Line(s+"é"); got != want {
			t.Errorf("Line shows %q as %q, want %q", s, got, want)
		}
		if got, want := strings.TrimSpace(visible.OneLine(s)+" é"), visible.OneLine(s+" é"); got != want {
			t.Errorf("OneLine shows %q as %q, want %q", s, got, want)
		}
	}
}
