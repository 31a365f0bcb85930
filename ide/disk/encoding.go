package disk

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Format describes how a text is encoded.
type Format struct {
	Encoding string // one of the constants below; empty is UTF8
	BOM      bool   // begins with a byte order mark
}

// The encodings. Latin1 is the fallback: every byte is one character, so none is
// lost whatever the bytes mean.
const (
	UTF8    = "utf-8"
	UTF16LE = "utf-16le"
	UTF16BE = "utf-16be"
	Latin1  = "latin-1"
)

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
func Decode(data []byte) (string, Format, error) {
	f := Format{Encoding: UTF8}
	if bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")) || bytes.HasPrefix(data, []byte("\x00\x00\xfe\xff")) {
		return "", f, fmt.Errorf("%w: it looks like UTF-32, which is not supported", ErrEncoding)
	}
	for _, b := range boms {
		if bytes.HasPrefix(data, []byte(b.bytes)) {
			f, data = Format{b.encoding, true}, data[len(b.bytes):]
			break
		}
	}
	if f.Encoding != UTF8 {
		s, err := decode16(data, byteOrder(f.Encoding))
		return s, f, err
	}
	if bytes.IndexByte(data[:min(len(data), sniff)], 0) >= 0 {
		return "", f, ErrBinary
	}
	if utf8.Valid(data) {
		return string(data), f, nil
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "", f, ErrBinary
	}
	var s strings.Builder
	if f.BOM {
		data = append([]byte(boms[0].bytes), data...)
	}
	s.Grow(len(data) + len(data)/8)
	for _, b := range data {
		s.WriteRune(rune(b))
	}
	return s.String(), Format{Encoding: Latin1}, nil
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
	switch f.encoding() {
	case UTF8:
		return append(data, text...), nil
	case UTF16LE, UTF16BE:
		order := byteOrder(f.Encoding)
		for _, r := range text {
			if r1, r2 := utf16.EncodeRune(r); r1 != utf8.RuneError {
				data = order.AppendUint16(data, uint16(r1))
				r = r2
			}
			data = order.AppendUint16(data, uint16(r))
		}
		return data, nil
	case Latin1:
		for i, r := range text {
			if r > 0xff {
				line := 1 + strings.Count(text[:i], "\n")
				return nil, fmt.Errorf("%w: the file is not UTF-8 and cannot represent %q (%U, line %d); use other characters or convert the file first", ErrEncoding, r, r, line)
			}
			data = append(data, byte(r))
		}
		return data, nil
	}
	return nil, fmt.Errorf("%w: unknown encoding %q", ErrEncoding, f.Encoding)
}

func (f Format) encoding() string {
	if f.Encoding == "" {
		return UTF8
	}
	return f.Encoding
}

type order interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

func byteOrder(encoding string) order {
	if encoding == UTF16BE {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// decode16 rejects bytes that could not be restored.
func decode16(data []byte, order order) (string, error) {
	if len(data)%2 != 0 {
		return "", fmt.Errorf("%w: UTF-16 with an odd number of bytes", ErrEncoding)
	}
	var s strings.Builder
	s.Grow(len(data))
	for i := 0; i < len(data); i += 2 {
		r := rune(order.Uint16(data[i:]))
		if utf16.IsSurrogate(r) {
			var next rune
			if i+4 <= len(data) {
				next = rune(order.Uint16(data[i+2:]))
			}
			if r = utf16.DecodeRune(r, next); r == utf8.RuneError {
				return "", fmt.Errorf("%w: unpaired UTF-16 surrogate at byte %d", ErrEncoding, i+2)
			}
			i += 2
		}
		s.WriteRune(r)
	}
	return s.String(), nil
}
