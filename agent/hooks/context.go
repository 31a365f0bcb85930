package hooks

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/emendo-dev/emendo/internal/visible"
)

// Limits on the output of hooks, in bytes.
const (
	maxContext = 16 << 10 // of context for the model
	maxMessage = 4 << 10  // of messages for the user
	maxAnswer  = 1 << 20  // of a replacement for a model's answer
)

// Enclosed marks context for the model as a hook's. Angle brackets are escaped,
// so the text cannot end the mark.
func Enclosed(text string) string {
	text = strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(Bounded(plain(text), maxContext))
	return "<hook_context>\n" + strings.TrimSpace(text) + "\n</hook_context>"
}

// BoundedMessage prepares a hook's text for the user.
func BoundedMessage(text string) string {
	return Bounded(strings.TrimSpace(printable(text)), maxMessage)
}

// colours matches the escape sequences that programs use to colour text.
var colours = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// plain removes terminal control sequences.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, colours.ReplaceAllString(s, ""))
}

// printable removes characters that could hide or rearrange text.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsGraphic(r) {
			return r
		}
		return -1
	}, plain(s))
}

// BoundedReason prepares a hook's text for the model, as the replacement of a
// result, and for the user.
func BoundedReason(text string) string {
	return Bounded(strings.TrimSpace(printable(text)), maxContext)
}

// Bounded truncates a text of more than most bytes and says so.
func Bounded(text string, most int) string {
	if len(text) <= most {
		return text
	}
	kept := visible.CutBytes(text, most)
	return kept + fmt.Sprintf("\n(the rest, %d bytes, is left out)", len(text)-len(kept))
}
