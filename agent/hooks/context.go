package hooks

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What is taken of what hooks say, in bytes.
const (
	maxContext = 16 << 10 // of what the model is told
	maxMessage = 4 << 10  // of what the user is shown
	maxAnswer  = 1 << 20  // of what stands for a model's answer
)

// Enclosed is what hooks have the model told, marked as theirs. It cannot end
// the mark: angle brackets are escaped.
func Enclosed(text string) string {
	text = strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(Bounded(plain(text), maxContext))
	return "<hook_context>\n" + strings.TrimSpace(text) + "\n</hook_context>"
}

// BoundedMessage is a hook's text as the user is shown it.
func BoundedMessage(text string) string {
	return Bounded(strings.TrimSpace(printable(text)), maxMessage)
}

// colours are what programs write to paint a terminal.
var colours = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// plain is a text without what controls a terminal.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, colours.ReplaceAllString(s, ""))
}

// printable is a text without what could hide or rearrange what is read.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsGraphic(r) {
			return r
		}
		return -1
	}, plain(s))
}

// BoundedReason is a hook's text as the model reads it in place of a result, and
// the user with it.
func BoundedReason(text string) string {
	return Bounded(strings.TrimSpace(printable(text)), maxContext)
}

// Bounded cuts a text that has more than most bytes and says so.
func Bounded(text string, most int) string {
	if len(text) <= most {
		return text
	}
	kept := text[:most]
	for !utf8.ValidString(kept) && len(kept) > most-utf8.UTFMax {
		kept = kept[:len(kept)-1]
	}
	return kept + fmt.Sprintf("\n(the rest, %d bytes, is left out)", len(text)-len(kept))
}
