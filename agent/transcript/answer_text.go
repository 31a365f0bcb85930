package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
)

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
