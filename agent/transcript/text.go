package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/emendo-dev/emendo/internal/visible"
)

// Limits of a title in runes.
const (
	madeTitle  = 60  // made from a prompt
	GivenTitle = 200 // set by the user
)

// TitleOf returns the first line with visible text of a prompt, cut at a word.
func TitleOf(blocks []Block) string {
	for _, b := range blocks {
		if !b.Said() {
			continue
		}
		for line := range strings.Lines(b.Text) {
			if title := CleanTitle(line, madeTitle); title != "" {
				return title
			}
		}
	}
	return ""
}

// CleanTitle returns s on one line of at most n runes, without invisible characters.
func CleanTitle(s string, n int) string {
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)), " ")
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	cut := string(r[:n])
	if i := strings.LastIndexByte(cut, ' '); i > n/2 {
		cut = cut[:i]
	}
	return cut + "…"
}

// CallArgs returns the compacted arguments of a call. The log has the same form, so
// that the model is sent the same before and after a restart. If they are not an
// object, it returns an empty object and false.
func CallArgs(args json.RawMessage) (json.RawMessage, bool) {
	var b bytes.Buffer
	if json.Compact(&b, args) != nil || !bytes.HasPrefix(b.Bytes(), []byte("{")) {
		return json.RawMessage("{}"), false
	}
	return b.Bytes(), true
}

// Headed reports whether a piece of a thought begins with its own subject.
func Headed(s string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(s, " \n"), "**")
	subject, after, closed := strings.Cut(rest, "**")
	return ok && closed && subject != "" && !strings.Contains(subject, "\n") && (after == "" || strings.HasPrefix(after, "\n"))
}

// SplitThought splits a thought into its subject, the text in the first pair of **,
// and the rest.
func SplitThought(s string) (subject, text string) {
	before, rest, ok := strings.Cut(s, "**")
	if !ok {
		return "", s
	}
	subject, after, ok := strings.Cut(rest, "**")
	if !ok {
		return "", s
	}
	return strings.TrimSpace(subject), strings.TrimSpace(before + after)
}

// maxDisplay is the limit of a call's output for the user, in bytes.
const maxDisplay = 72 << 10

// BoundDisplay cuts s to the maximum length of a display.
func BoundDisplay(s string) string {
	if len(s) <= maxDisplay {
		return s
	}
	const note = "\n(%d more bytes omitted)"
	kept := visible.CutBytes(s, maxDisplay-len(note)-16)
	return kept + fmt.Sprintf(note, len(s)-len(kept))
}
