package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"testing"
	"unicode/utf16"
)

func utf16Bytes(o binary.AppendByteOrder, s string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
		b = o.AppendUint16(b, u)
	}
	return b
}

func TestRoundTripKeepsEveryByte(t *testing.T) {
	encodings := []struct {
		name   string
		format Format
		encode func(string) []byte
	}{
		{"UTF-8", Format{Encoding: UTF8, BOM: false}, func(s string) []byte { return []byte(s) }},
		{"UTF-8 with byte order mark", Format{Encoding: UTF8, BOM: true}, func(s string) []byte { return []byte("\xef\xbb\xbf" + s) }},
		{"UTF-16LE", Format{Encoding: UTF16LE, BOM: true}, func(s string) []byte { return utf16Bytes(binary.LittleEndian, s) }},
		{"UTF-16BE", Format{Encoding: UTF16BE, BOM: true}, func(s string) []byte { return utf16Bytes(binary.BigEndian, s) }},
		{"UTF-8 with a bad byte", Format{Encoding: UTF8, Bad: true}, func(s string) []byte { return []byte("naïve é ü \xff" + s) }},
		{"broken UTF-8 with byte order mark", Format{Encoding: UTF8, BOM: true, Bad: true}, func(s string) []byte { return []byte("\xef\xbb\xbf\xff" + s) }},
	}
	texts := map[string]string{
		"nothing":             "",
		"unix lines":          "one\ntwo\n",
		"dos lines":           "one\r\ntwo\r\n",
		"old mac lines":       "one\rtwo\r",
		"mixed lines":         "one\r\ntwo\nthree\rfour\n\r",
		"no final line end":   "one\ntwo",
		"only a line end":     "\n",
		"outside ASCII":       "Grüße, 世界, 👩‍👩‍👧 \u2028 \ufeff inside\n",
		"a no-break space":    "a\u00a0b",
		"all of the low ones": "\x01\x02\x1b\x7f\t\v\f",
	}
	tree, _, _ := newTree(t, nil)
	p := at(t, tree, "file.txt")
	for _, e := range encodings {
		for name, text := range texts {
			t.Run(e.name+" "+name, func(t *testing.T) {
				data := e.encode(text)
				if err := os.WriteFile(p.Abs, data, 0o644); err != nil {
					t.Fatal(err)
				}
				got, err := tree.ReadText(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				if got.Format != e.format {
					t.Errorf("format %v, want %v", got.Format, e.format)
				}
				if !e.format.Bad && got.Text != text {
					t.Errorf("text %q, want %q", got.Text, text)
				}
				out, err := Encode(got.Text, got.Format)
				if err != nil {
					t.Fatal(err)
				}
				if err := tree.Write(t.Context(), p, out, WriteOptions{Expect: &got.Hash}); err != nil {
					t.Fatal(err)
				}
				if after := content(t, p.Abs); after != string(data) {
					t.Errorf("bytes became %q, were %q", after, data)
				}
			})
		}
	}
}

func TestWesternHoldsEveryByte(t *testing.T) {
	var data []byte
	for i := 1; i < 256; i++ {
		data = append(data, byte(i))
	}
	text, format, err := Decode(data)
	if err != nil || format.Encoding == UTF8 {
		t.Fatalf("%v, %v", format, err)
	}
	if back, err := Encode(text, format); err != nil || !bytes.Equal(back, data) {
		t.Errorf("%q, %v", back, err)
	}
}

func TestDecodeRejectsWhatCannotBeEncoded(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       error
	}{
		{"a NUL early", "ab\x00cd", ErrBinary},
		{"a NUL and no UTF-8", string(bytes.Repeat([]byte("x"), 9000)) + "\xff\x00", ErrBinary},
		{"UTF-16 of odd length", "\xff\xfea\x00b", ErrEncoding},
		{"the first half of a character", "\xff\xfe\x3d\xd8", ErrEncoding},
		{"the second half of a character", "\xff\xfe\x00\xdea\x00", ErrEncoding},
		{"a first half before a letter", "\xfe\xff\xd8\x3d\x00a", ErrEncoding},
		{"UTF-32", "\xff\xfe\x00\x00a\x00\x00\x00", ErrEncoding},
		{"UTF-32 the other way", "\x00\x00\xfe\xff\x00\x00\x00a", ErrEncoding},
	} {
		if s, f, err := Decode([]byte(c.data)); !errors.Is(err, c.want) {
			t.Errorf("%s: got %q, %v, %v; want %v", c.name, s, f, err, c.want)
		}
	}
	if s, _, err := Decode(append(bytes.Repeat([]byte("x"), sniff), 0)); err != nil || len(s) != sniff+1 {
		t.Errorf("a late NUL in UTF-8 is text: %v", err)
	}
}

func TestEncodeNamesTheCharacterThatDoesNotFit(t *testing.T) {
	_, err := Encode("é€\né漢", Format{Encoding: Western})
	const want = `invalid text encoding: the encoding of the file is windows-1252, which cannot represent '漢' (U+6F22, line 2); use other characters or convert the file first`
	if !errors.Is(err, ErrEncoding) || err.Error() != want {
		t.Errorf("got  %v\nwant %v", err, want)
	}
	for _, f := range []Format{{}, {Encoding: UTF16BE}, {Encoding: Western}} {
		if _, err := Encode("a\xffb", f); !errors.Is(err, ErrEncoding) {
			t.Errorf("%v: broken text: %v", f, err)
		}
	}
	if _, err := Encode("a", Format{Encoding: "ebcdic"}); !errors.Is(err, ErrEncoding) {
		t.Errorf("an unknown encoding: %v", err)
	}
}

func FuzzDecodeIsUndoneByEncode(f *testing.F) {
	for _, s := range []string{"", "a\r\nb", "\xef\xbb\xbfx", "\xff\xfea\x00", "\xfe\xff\xd8\x3d\xdc\x69", "caf\xe9", "\xff\xfe\x00\xd8", "\xb5\xea\xc6\xcc", "\x83\x81\x83\x6a", "na\xc3\xaf \xff", "a\x00b\x00", "\x81\x30\x81\x30", "\xf4\x8f\xb9\x83\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, format, err := Decode(data)
		if err != nil {
			return
		}
		if back, err := Encode(text, format); err != nil || !bytes.Equal(back, data) {
			t.Fatalf("%q read as %v %q and written as %q, %v", data, format, text, back, err)
		}
	})
}
