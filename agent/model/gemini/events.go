package gemini

import (
	"bytes"
	"errors"
)

// maxEvent bounds one event of a stream, in bytes.
const maxEvent = 64 << 20

var errEventTooLarge = errors.New("an event of the stream is larger than 64 MB")

var byteOrderMark = []byte("\ufeff")

// events rewrites an event stream into the only form that the client library
// reads: "data: ", JSON, two newlines. It drops comments, other fields and [DONE],
// joins data lines, and accepts any line end. A line without a field name is
// passed on as data: it is either a bare error object or garbage, and failing on it
// is better than losing an event.
type events struct {
	tap func(data []byte) // is called with each event

	line   []byte // the current line, incomplete
	data   []byte // the data lines of the current event
	skipLF bool   // the last line ended in CR

	out  []byte // complete events, ready to be read
	live bool   // data has arrived since this was last cleared
}

// feed adds the next bytes of the stream.
func (e *events) feed(b []byte) error {
	for len(b) > 0 {
		if e.skipLF {
			e.skipLF = false
			if b[0] == '\n' {
				b = b[1:]
				continue
			}
		}
		i := lineEnd(b)
		if i < 0 {
			e.line = append(e.line, b...)
			e.noteLife()
			break
		}
		e.line = append(e.line, b[:i]...)
		e.noteLife()
		e.skipLF = b[i] == '\r'
		b = b[i+1:]
		e.endLine()
		if len(e.data) > maxEvent {
			return errEventTooLarge
		}
	}
	if len(e.line) > maxEvent {
		return errEventTooLarge
	}
	return nil
}

// end marks the end of the stream: the last event needs no blank line after it.
func (e *events) end() {
	if len(e.line) > 0 {
		e.endLine()
	}
	e.endEvent()
}

// lineEnd returns the index of the first CR or LF, or -1.
func lineEnd(b []byte) int {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return bytes.IndexByte(b, '\r')
	}
	if j := bytes.IndexByte(b[:i], '\r'); j >= 0 {
		return j
	}
	return i
}

// longestField exceeds the length of any field name with a byte order mark. The
// kind of a line shows in its first bytes, and a line may have millions.
const longestField = 32

// noteLife marks the stream as live if the current line is data. Comments keep a
// connection open, but do not mean that the model still answers.
func (e *events) noteLife() {
	begin := e.line[:min(len(e.line), longestField)]
	if _, kind := field(begin); kind == isData && len(begin) >= len("data:") {
		e.live = true
	}
}

func (e *events) endLine() {
	line := e.line
	e.line = e.line[:0]
	if len(line) == 0 {
		e.endEvent()
		return
	}
	if value, kind := field(line); kind == isData && len(value) > 0 {
		if len(e.data) > 0 {
			e.data = append(e.data, '\n')
		}
		e.data = append(e.data, value...)
	}
}

func (e *events) endEvent() {
	data := bytes.TrimSpace(e.data)
	if len(data) > 0 && !bytes.Equal(data, []byte("[DONE]")) {
		if e.tap != nil {
			e.tap(data)
		}
		e.out = append(append(append(e.out, "data: "...), data...), "\n\n"...)
	}
	e.data = reuse(e.data)
	e.line = reuse(e.line)
}

// reuse empties a buffer, and frees one that a large event has grown.
func reuse(b []byte) []byte {
	if cap(b) > 1<<20 {
		return nil
	}
	return b[:0]
}

// fieldKind classifies a line of an event stream.
type fieldKind int

const (
	isData fieldKind = iota // a data field, or not a field
	isOther
)

// field splits a line into its value, without the one space that may precede it,
// and its kind. A byte order mark belongs before the first line only, but a proxy
// may put something in front of that.
func field(line []byte) ([]byte, fieldKind) {
	line = bytes.TrimPrefix(line, byteOrderMark)
	name, value, _ := bytes.Cut(line, []byte(":"))
	switch string(name) {
	case "data":
		return bytes.TrimPrefix(value, []byte(" ")), isData
	case "", "event", "id", "retry":
		return nil, isOther
	}
	return line, isData
}
