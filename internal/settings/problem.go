package settings

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// A FileError is a mistake in a settings file: the file is left out as a whole.
// It prints on one line, as FILE:LINE:COLUMN: what.
type FileError struct {
	File         string // a path, or words for a layer that is no file
	Line, Column int    // one-based, in characters; zero when the whole file is meant
	What         string
}

func (e *FileError) Error() string { return e.place() + e.What }

// A Warning is something in a settings file that was ignored, while the rest
// of the file was. It prints as a FileError does.
type Warning FileError

func (w Warning) String() string {
	e := FileError(w)
	return e.Error()
}

func (e *FileError) place() string {
	if e.Line == 0 {
		return e.File + ": "
	}
	return fmt.Sprintf("%s:%d:%d: ", e.File, e.Line, e.Column)
}

// position turns a byte offset into a one-based line and column, the column
// counted in characters.
func position(text []byte, offset int) (line, column int) {
	offset = min(offset, len(text))
	line = 1
	start := 0
	if bytes.HasPrefix(text[:offset], byteOrderMark) {
		start = len(byteOrderMark)
	}
	for i, c := range text[:offset] {
		if c == '\n' {
			line, start = line+1, i+1
		}
	}
	return line, 1 + utf8.RuneCount(text[start:offset])
}
