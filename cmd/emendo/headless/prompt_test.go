package headless

import "testing"

func TestCutKeepsWholeCharacters(t *testing.T) {
	for text, want := range map[string]string{
		"plain":            "plain",
		"é":                "é",
		"ab\xc3":           "ab",
		"ab\xe2\x82":       "ab",
		"ab\xf0\x9f\x98":   "ab",
		"ab\xf0\x9f":       "ab",
		"😀":                "😀",
		"":                 "",
		"\x80\x80\x80\x80": "\x80\x80\x80\x80", // not UTF-8 to begin with
	} {
		if got := string(wholeRunes([]byte(text))); got != want {
			t.Errorf("%q is cut to %q, want %q", text, got, want)
		}
	}
}
