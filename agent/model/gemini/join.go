package gemini

import "bytes"

// A said is an event that says a piece of text and nothing else of interest,
// cut open: the client library takes some twenty microseconds to decode an
// event, so when several have come by the time one can be read, their texts
// are put into one.
type said struct {
	before, text, after []byte // text is the inside of a JSON string
}

var textField = []byte(`"text":`)

// alone are fields whose events are never joined: what they hold is read for
// itself.
var alone = [][]byte{
	[]byte(`"thought`), []byte(`"functionCall"`), []byte(`"citationMetadata"`), []byte(`"groundingMetadata"`),
	[]byte(`"promptFeedback"`), []byte(`"error"`),
}

// cutText cuts an event open at its text; false when it is of another kind. A
// quoted field name cannot be inside a string, where its quotes are escaped.
func cutText(data []byte) (said, bool) {
	at := bytes.Index(data, textField)
	if at < 0 {
		return said{}, false
	}
	rest := bytes.TrimLeft(data[at+len(textField):], " ")
	if len(rest) == 0 || rest[0] != '"' {
		return said{}, false
	}
	rest = rest[1:]
	s := said{before: data[:len(data)-len(rest)]}
	end := stringEnd(rest)
	if end < 0 {
		return said{}, false
	}
	s.text, s.after = rest[:end], rest[end:]
	if bytes.Contains(s.after, textField) {
		return said{}, false
	}
	for _, field := range alone {
		if bytes.Contains(s.before, field) || bytes.Contains(s.after, field) {
			return said{}, false
		}
	}
	return s, true
}

// stringEnd is where a JSON string that begins before b ends, or -1.
func stringEnd(b []byte) int {
	for i := 0; ; i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		escapes := 0
		for escapes < i && b[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
}

// goesOn says whether next says more of what s says: all around their texts is
// the same but for counts, of which the later ones hold.
func (s said) goesOn(next said) bool {
	return bytes.Equal(s.before, next.before) && sameButCounts(s.after, next.after)
}

// sameButCounts compares two texts without their digits.
func sameButCounts(a, b []byte) bool {
	for {
		a, b = bytes.TrimLeft(a, digits), bytes.TrimLeft(b, digits)
		if len(a) == 0 || len(b) == 0 {
			return len(a) == len(b)
		}
		if a[0] != b[0] {
			return false
		}
		a, b = a[1:], b[1:]
	}
}

const digits = "0123456789"
