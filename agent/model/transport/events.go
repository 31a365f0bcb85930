package transport

import (
	"bytes"
	"errors"
)

// maxEvent bounds one event of a stream, in bytes.
const maxEvent = 64 << 20

var errEventTooLarge = errors.New("an event of the stream is larger than 64 MB")

var byteOrderMark = []byte("\ufeff")

// Framing is the form of an event stream that a client library reads.
type Framing int

// The framings.
const (
	// Named passes on the name of an event, each line of its data, and [DONE].
	Named Framing = iota
	// Bare writes an event as "data: ", all of its data and two newlines, without
	// its name, and drops [DONE].
	Bare
)

// events rewrites an event stream into one form, for client libraries that do not
// read all that the standard allows. It drops comments and other fields, and accepts
// any line end. A line without a field name is passed on as data: it is either a
// bare error object or garbage, and failing on it is better than losing an event.
type events struct {
	framing Framing
	x       *Exchange // keeps each event but [DONE], if it wants

	line   []byte // the current line, incomplete
	name   []byte // the name of the current event
	data   []byte // the data lines of the current event
	skipLF bool   // the last line ended in CR

	out  []byte // complete events, ready to be read
	live bool   // data has arrived since this was last cleared
}

// parse adds the next bytes of the stream.
func (e *events) parse(b []byte) error {
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
	switch value, kind := field(line); {
	case kind == isName:
		e.name = append(e.name[:0], value...)
	case kind == isData && len(value) > 0:
		if len(e.data) > 0 {
			e.data = append(e.data, '\n')
		}
		e.data = append(e.data, value...)
	}
}

func (e *events) endEvent() {
	data := bytes.TrimSpace(e.data)
	done := bytes.Equal(data, []byte("[DONE]"))
	if len(data) > 0 && !done && e.x.Keep {
		e.x.Events = append(e.x.Events, bytes.Clone(data))
	}
	if len(data) > 0 && (!done || e.framing == Named) {
		e.write(data)
	}
	e.name = e.name[:0]
	e.data = reuse(e.data)
	e.line = reuse(e.line)
}

// write appends an event to what is ready to be read.
func (e *events) write(data []byte) {
	if e.framing == Bare {
		e.out = append(append(append(e.out, "data: "...), data...), "\n\n"...)
		return
	}
	if len(e.name) > 0 {
		e.out = append(append(append(e.out, "event: "...), e.name...), '\n')
	}
	for line := range bytes.Lines(data) {
		e.out = append(append(append(e.out, "data: "...), bytes.TrimSuffix(line, []byte("\n"))...), '\n')
	}
	e.out = append(e.out, '\n')
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
	isName                  // the event's name
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
	case "event":
		return bytes.TrimPrefix(value, []byte(" ")), isName
	case "", "id", "retry":
		return nil, isOther
	}
	return line, isData
}
