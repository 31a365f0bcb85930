package disk

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// Format describes how a text is encoded.
type Format struct {
	Encoding string // one of the constants below or a name of the WHATWG, such as "gbk"; empty is UTF8
	BOM      bool   // begins with a byte order mark
	Bad      bool   // has bytes that are wrong in the encoding; the text has a character of [BadByte] for each
}

// The encodings that a file has without a guess.
const (
	UTF8    = "utf-8"
	UTF16LE = "utf-16le"
	UTF16BE = "utf-16be"
)

// Western is the encoding of what is nothing else. Every byte is a character in it,
// so none is lost whatever the bytes mean.
const Western = "windows-1252"

// firstBad is where the private characters begin that stand for bytes which are wrong
// in the encoding of their file: U+10FE80 is 0x80. Nobody else is known to use them.
const firstBad = 0x10FE00

// BadByte returns the byte that a character stands for in a text with [Format].Bad.
func BadByte(r rune) (b byte, ok bool) {
	return byte(r - firstBad), r >= firstBad+0x80 && r <= firstBad+0xFF //nolint:gosec // the range is checked
}

// Guessed reports whether the encoding was guessed from the bytes.
func (f Format) Guessed() bool {
	return f.encoding() != UTF8 && !f.BOM
}

// Plain reports whether the format is UTF-8 without anything unusual.
func (f Format) Plain() bool { return f.encoding() == UTF8 && !f.BOM && !f.Bad }

// sniff is the number of bytes that are searched for a NUL, the mark of a binary
// file. Git searches as many.
const sniff = 8000

var boms = []struct {
	encoding string
	bytes    string
}{
	{UTF8, "\xef\xbb\xbf"},
	{UTF16LE, "\xff\xfe"},
	{UTF16BE, "\xfe\xff"},
}

// Decode detects the format of data and returns its text without the byte order
// mark. [Encode] restores the same bytes.
func Decode(data []byte) (string, Format, error) { return decode(data, func() string { return "" }) }

// DecodeOutput returns the output of a program in UTF-8, read as a file with these
// bytes would be, and the encoding that it was in; found is the one of earlier output,
// or "". Wrong bytes, and what is no text, stay as they are.
func DecodeOutput(data []byte, found string) ([]byte, string) {
	text, f, err := decode(data, func() string { return found })
	if err != nil || !f.Guessed() {
		return data, found
	}
	out := make([]byte, 0, len(text))
	for _, r := range text {
		if b, bad := BadByte(r); bad {
			out = append(out, b)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out, f.Encoding
}

// decode is Decode with the encoding that the file is said to have, which is asked for
// where the bytes do not show it, and counts where they fit it.
func decode(data []byte, hint func() string) (string, Format, error) {
	f := Format{Encoding: UTF8}
	if bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")) || bytes.HasPrefix(data, []byte("\x00\x00\xfe\xff")) {
		return "", f, fmt.Errorf("%w: it looks like UTF-32, which is not supported", ErrEncoding)
	}
	for _, b := range boms {
		if bytes.HasPrefix(data, []byte(b.bytes)) {
			f, data = Format{Encoding: b.encoding, BOM: true}, data[len(b.bytes):]
			break
		}
	}
	if f.Encoding != UTF8 {
		s, err := decode16(data, f.Encoding)
		return s, f, err
	}
	if bytes.IndexByte(data[:min(len(data), sniff)], 0) >= 0 {
		if s, encoding, ok := decodeUnmarked16(data); ok && !f.BOM {
			return s, Format{Encoding: encoding}, nil
		}
		return "", f, ErrBinary
	}
	if utf8.Valid(data) {
		return string(data), f, nil
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "", f, ErrBinary
	}
	if f.BOM || mostlyUTF8(data) {
		if s, ok := utf8WithBadBytes(data); ok {
			f.Bad = true
			return s, f, nil
		}
	}
	if f.BOM {
		data = append([]byte(boms[0].bytes), data...)
	}
	s, f := decodeLegacy(data, hint())
	return s, f, nil
}

// Encode encodes a text. Its error names a character that the encoding cannot
// represent.
func Encode(text string, f Format) ([]byte, error) {
	var data []byte
	for _, b := range boms {
		if f.BOM && b.encoding == f.encoding() {
			data = append(data, b.bytes...)
		}
	}
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("%w: the text is not valid UTF-8", ErrEncoding)
	}
	switch {
	case f.encoding() != UTF8:
		encoded, err := encodeLegacy(text, f)
		return append(data, encoded...), err
	case !f.Bad:
		return append(data, text...), nil
	}
	for _, r := range text {
		if b, ok := BadByte(r); ok {
			data = append(data, b)
		} else {
			data = utf8.AppendRune(data, r)
		}
	}
	return data, nil
}

func (f Format) encoding() string {
	if f.Encoding == "" {
		return UTF8
	}
	return f.Encoding
}

// decode16 rejects bytes that could not be restored.
func decode16(data []byte, encoding string) (string, error) {
	s, ok := restorable(data, encoding)
	if !ok {
		return "", fmt.Errorf("%w: it is not valid UTF-16", ErrEncoding)
	}
	return s, nil
}
