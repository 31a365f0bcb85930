package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/emendo-dev/emendo/agent/prompt"
)

// Bounds of a title, in runes: of one made from a prompt, and of one that the
// user gives.
const (
	madeTitle  = 60
	GivenTitle = 200
)

// TitleOf is the first line of a prompt that says anything, cut at a word.
func TitleOf(blocks []Block) string {
	for _, b := range blocks {
		if b.Type != TextBlock {
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

// CleanTitle is a text as one line without characters that nobody sees, of at
// most n runes.
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

// object is the arguments of a call without the white space between them, as
// the log keeps them: the model is sent the same before and after a restart. It
// is empty where they are no object.
func CallArgs(args json.RawMessage) (json.RawMessage, bool) {
	var b bytes.Buffer
	if json.Compact(&b, args) != nil || !bytes.HasPrefix(b.Bytes(), []byte("{")) {
		return json.RawMessage("{}"), false
	}
	return b.Bytes(), true
}

// Headed reports whether a piece of a thought begins with a subject of its own.
func Headed(s string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(s, " \n"), "**")
	subject, after, closed := strings.Cut(rest, "**")
	return ok && closed && subject != "" && !strings.Contains(subject, "\n") && (after == "" || strings.HasPrefix(after, "\n"))
}

// SplitThought takes the subject off a thought: what its first ** pair holds.
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

// maxDisplay bounds what the user is shown of a call, in bytes.
const maxDisplay = 72 << 10

func BoundDisplay(s string) string {
	if len(s) <= maxDisplay {
		return s
	}
	const note = "\n(the rest, %d bytes, is left out)"
	kept := prompt.Cut(s, maxDisplay-len(note)-16)
	return kept + fmt.Sprintf(note, len(s)-len(kept))
}
