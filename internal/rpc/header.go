package rpc

import (
	"bufio"
	"bytes"
	"errors"
	"strconv"
)

// lengthField is the only header field that matters; its name may be in any case.
const lengthField = "Content-Length:"

// lineEnd is the part of an overlong header line that is kept, in bytes. It is the
// end of the line: after a message whose length was wrong or missing, the next
// header is on the same line as the last bytes of the message.
const lineEnd = 64

// header reads up to the end of the next header and returns its length field, in
// bytes, which is at least 1. It skips anything else, such as blank lines and the
// output of a shell.
func (f *frames) header() (int64, error) {
	var (
		length int64
		given  bool // this header has a length, valid or not
		wrong  *badFrame
		junk   int
	)
	for {
		line, err := f.headerLine()
		if err != nil {
			if given || len(bytes.TrimSpace(line)) > 0 {
				return 0, endedInside(err)
			}
			return 0, err
		}
		line = bytes.TrimSpace(line)
		switch value, found := lengthIn(line); {
		case found:
			given = true
			length, wrong = parseLength(value)
		case len(line) > 0 && !isField(line):
			junk += len(line)
		case len(line) > 0 || !given:
			// Another field, or a blank line where a header should begin.
		case wrong != nil:
			return 0, wrong
		default:
			if junk > 0 {
				f.log.Warn("skipped bytes that belong to no message", "bytes", junk)
			}
			return length, nil
		}
	}
}

// headerLine reads one line, which is valid until the next read.
func (f *frames) headerLine() ([]byte, error) {
	line, err := f.in.ReadSlice('\n')
	for errors.Is(err, bufio.ErrBufferFull) {
		kept := bytes.Clone(line[len(line)-lineEnd:])
		line, err = f.in.ReadSlice('\n')
		line = append(kept, line...)
	}
	return line, err
}

// lengthIn returns the value of a length field in a header line. A line that is
// not a field may have one after bytes that do not belong there.
func lengthIn(line []byte) (value []byte, found bool) {
	n := len(lengthField)
	if len(line) >= n && bytes.EqualFold(line[:n], []byte(lengthField)) {
		return bytes.TrimSpace(line[n:]), true
	}
	if isField(line) {
		return nil, false
	}
	for i := len(line) - n; i > 0; i-- {
		if bytes.EqualFold(line[i:i+n], []byte(lengthField)) {
			return bytes.TrimSpace(line[i+n:]), true
		}
	}
	return nil, false
}

// isField reports whether line is a header field: a name without spaces, a colon
// and a value.
func isField(line []byte) bool {
	name, _, ok := bytes.Cut(line, []byte(":"))
	if !ok || len(name) == 0 {
		return false
	}
	for _, c := range name {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case bytes.IndexByte([]byte("!#$%&'*+-.^_`|~"), c) >= 0:
		default:
			return false
		}
	}
	return true
}

// parseLength reads the value of a length field.
func parseLength(value []byte) (int64, *badFrame) {
	n, err := strconv.ParseUint(string(value), 10, 63)
	switch {
	case err != nil:
		return 0, &badFrame{err: Errorf(ParseError, "Content-Length must be a number of bytes")}
	case n == 0:
		return 0, &badFrame{err: Errorf(ParseError, "the message is empty")}
	default:
		return int64(n), nil
	}
}
