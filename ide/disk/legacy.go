package disk

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wlynxg/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"

	"github.com/emendo-dev/emendo/internal/editorconfig"
)

// byLocale lists the encodings of languages, the most usual first. A language without
// its own has Western.
var byLocale = map[string][]string{
	"ja": {"shift_jis", "euc-jp"}, "zh_TW": {"big5"}, "zh_HK": {"big5"}, "zh": {"gbk", "gb18030"}, "ko": {"euc-kr"},
	"ru": {"windows-1251", "koi8-r"}, "uk": {"windows-1251", "koi8-u"}, "be": {"windows-1251"}, "bg": {"windows-1251"}, "sr": {"windows-1251"}, "mk": {"windows-1251"},
	"el": {"windows-1253"}, "he": {"windows-1255"}, "ar": {"windows-1256"}, "fa": {"windows-1256"}, "th": {"windows-874"}, "vi": {"windows-1258"},
	"pl": {"windows-1250"}, "cs": {"windows-1250"}, "sk": {"windows-1250"}, "hu": {"windows-1250"}, "sl": {"windows-1250"}, "hr": {"windows-1250"}, "ro": {"windows-1250"},
	"tr": {"windows-1254"}, "lt": {"windows-1257"}, "lv": {"windows-1257"}, "et": {"windows-1257"},
}

// local returns the encodings of the user's language.
func local() []string {
	name, _, _ := strings.Cut(ours.options().Locale, ".")
	name, _, _ = strings.Cut(name, "@")
	if l := byLocale[name]; l != nil {
		return l
	}
	language, _, _ := strings.Cut(name, "_")
	return byLocale[language]
}

// latin reports whether an encoding is of a language with Latin letters, whose text
// [latinWords] recognizes.
func latin(name string) bool {
	switch name {
	case Western, "windows-1250", "windows-1254", "windows-1257", "windows-1258":
		return true
	}
	return false
}

// DecodeFile is [Decode] for the file at an absolute path, of which more may be known
// than its bytes show. Nothing is known of bytes whose path is empty.
func DecodeFile(path string, data []byte) (string, Format, error) {
	if path == "" {
		return Decode(data)
	}
	text, f, err := decode(data, func() string { return knownEncoding(path, data) })
	if err == nil && f.legacy() {
		ours.remember(path, f.Encoding)
	}
	return text, f, err
}

// knownEncoding returns the encoding that a file has by the text that an editor has shown for it,
// by what it had before, or by .editorconfig; "" if nothing is known.
func knownEncoding(path string, data []byte) string {
	if name := asShown(path, data); name != "" {
		return name
	}
	if name := ours.encoding(path); name != "" {
		return name
	}
	e, err := htmlindex.Get(editorconfig.Of(path).Charset)
	if err != nil {
		return ""
	}
	name, err := htmlindex.Name(e)
	if err != nil || name == UTF8 {
		return ""
	}
	return name
}

// legacy reports whether the encoding is neither UTF-8 nor UTF-16.
func (f Format) legacy() bool {
	e := f.encoding()
	return e != UTF8 && e != UTF16LE && e != UTF16BE
}

// Learn remembers the encoding in which the bytes of a file are a text that an editor
// shows for it.
func Learn(path string, data []byte, text string) {
	if utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return
	}
	if s, _, err := DecodeFile(path, data); err == nil && s == text {
		return
	}
	for _, name := range every(data) {
		if s, ok := strictly(data, name); ok && s == text {
			ours.remember(path, name)
			return
		}
	}
}

// every returns all encodings that are known, the likeliest for these bytes first.
func every(data []byte) []string {
	names := candidates(data)
	for _, l := range byLocale {
		names = append(names, l...)
	}
	return names
}

// NoteShown notes the text that an editor has opened for the file at an absolute path:
// it shows in which encoding the editor reads its bytes. Nothing is read.
func NoteShown(path, text string) {
	if path == "" || !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return
	}
	ours.noteShown(path, shownHash(text))
}

// asShown returns the encoding in which bytes are the text that an editor has opened for
// a file; "" if no editor has, or its text was not that of the bytes.
func asShown(path string, data []byte) string {
	want, ok := ours.takeShown(path)
	if !ok {
		return ""
	}
	for _, name := range every(data) {
		if s, ok := strictly(data, name); ok && shownHash(s) == want {
			return name
		}
	}
	return ""
}

// shownHash is the hash of a text, whatever its line ends are.
func shownHash(text string) Hash {
	return sha256.Sum256([]byte(strings.ReplaceAll(text, "\r\n", "\n")))
}

// decodeLegacy decodes bytes that are not UTF-8, in the hint's encoding if they fit,
// else in the one that is guessed.
func decodeLegacy(data []byte, hint string) (string, Format) {
	if s, ok := strictly(data, hint); ok && hint != "" {
		return s, Format{Encoding: hint}
	}
	names := candidates(data)
	western := slices.Index(names, Western) // which nearly everything fits
	if f, s, ok := firstStrict(data, names[:western]); ok {
		return s, f
	}
	// A few wrong bytes must not make a whole file unreadable.
	likely := names[:western]
	if !latinWords(data) {
		likely = append(likely, ofHalf(data)...)
	}
	if len(likely) > 0 {
		if s, bad := leniently(data, likely[0]); bad*20 <= len(focus(data)) {
			return s, Format{Encoding: likely[0], Bad: true}
		}
	}
	if f, s, ok := firstStrict(data, names[western:]); ok {
		return s, f
	}
	s, _ := leniently(data, Western)
	return s, Format{Encoding: Western, Bad: true}
}

// firstStrict decodes data in the first of the encodings that all of its bytes fit.
func firstStrict(data []byte, names []string) (Format, string, bool) {
	for _, name := range names {
		if s, ok := strictly(data, name); ok {
			return Format{Encoding: name}, s, true
		}
	}
	return Format{}, "", false
}

// ofHalf returns the encoding of the one half of a text that has no wrong bytes.
func ofHalf(data []byte) []string {
	middle := bytes.IndexByte(data[len(data)/2:], '\n')
	if middle < 0 {
		return nil
	}
	middle += len(data)/2 + 1
	for _, half := range [][]byte{data[:middle], data[middle:]} {
		if utf8.Valid(half) {
			continue
		}
		names := candidates(half)
		if f, _, ok := firstStrict(half, names[:slices.Index(names, Western)]); ok {
			return []string{f.Encoding}
		}
	}
	return nil
}

// candidates returns the encodings that bytes may have, the likeliest first, and
// after Western those of what that cannot be.
func candidates(data []byte) []string {
	mine := local()
	if latinWords(data) {
		names := slices.DeleteFunc(slices.Clone(mine), func(name string) bool { return !latin(name) })
		return append(names, Western, "windows-1250", "shift_jis")
	}
	names := slices.DeleteFunc(slices.Clone(mine), latin)
	text := focus(data)
	for one := text; len(text) < enough; { // the statistics want more than a short text has
		text = append(text, one...)
	}
	for _, r := range chardet.DetectAll(text) {
		e, err := htmlindex.Get(r.Encoding)
		if err != nil {
			continue
		}
		name, err := htmlindex.Name(e)
		if err != nil || strings.HasPrefix(name, "utf-") || name == Western {
			continue
		}
		if names = append(names, name); name == "gbk" {
			names = append(names, "gb18030")
		}
	}
	return append(names, Western, "shift_jis", "windows-1250")
}

// enough is how many bytes outside ASCII are shown to the detector, at least and at
// most.
const enough, most = 300, 16 << 10

// focus returns the characters outside ASCII: source code is mostly ASCII, which says
// nothing about the encoding and outweighs the rest. A byte outside ASCII without a
// partner takes the letter after it along, since it may be the first half of a
// character.
func focus(data []byte) []byte {
	var out []byte
	for i := 0; i < len(data) && len(out) < most; {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		j := i
		for j < len(data) && data[j] >= utf8.RuneSelf {
			j++
			if (j-i)%2 == 1 && j < len(data) && data[j] >= 0x40 && data[j] < 0x7F {
				j++
			}
		}
		out = append(append(out, data[i:j]...), ' ')
		i = j
	}
	return out
}

// latinWords reports whether the words that have bytes outside ASCII have at least two
// thirds as many small ASCII letters: only languages with Latin letters mix the two.
func latinWords(data []byte) bool {
	high, low := 0, 0
	for _, word := range bytes.FieldsFunc(latin1(data), func(r rune) bool {
		return r < utf8.RuneSelf && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		h, l := 0, 0
		for _, r := range string(word) {
			switch {
			case r >= utf8.RuneSelf:
				h++
			case r >= 'a':
				l++
			}
		}
		if h > 0 {
			high, low = high+h, low+l
		}
	}
	return 3*low >= 2*high
}

// latin1 returns a character for each byte.
func latin1(data []byte) []byte {
	out := make([]byte, 0, len(data)+len(data)/8)
	for _, b := range data[:min(len(data), most)] {
		out = utf8.AppendRune(out, rune(b))
	}
	return out
}

// restorable decodes data if every byte of it comes back.
func restorable(data []byte, name string) (string, bool) {
	e, err := htmlindex.Get(name)
	if err != nil {
		return "", false
	}
	s, err := e.NewDecoder().Bytes(data)
	if err != nil {
		return "", false
	}
	back, err := e.NewEncoder().Bytes(s)
	return string(s), err == nil && bytes.Equal(back, data)
}

// strictly decodes data if it can be restored and has no characters which show that the
// encoding is wrong: private ones, and U+FFFD.
func strictly(data []byte, name string) (string, bool) {
	s, ok := restorable(data, name)
	return s, ok && !strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || r >= 0xE000 && r < 0xF900 })
}

// leniently decodes data character by character. Where the bytes do not come back,
// one has a character of [BadByte].
func leniently(data []byte, name string) (s string, bad int) {
	e, err := htmlindex.Get(name)
	if err != nil {
		return "", len(data)
	}
	var b strings.Builder
	b.Grow(len(data) + len(data)/2)
	dec, enc := e.NewDecoder(), e.NewEncoder()
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			b.WriteByte(data[i])
			i++
			continue
		}
		n := character(data[i:], dec, enc, &b)
		if n == 0 {
			b.WriteRune(firstBad + rune(data[i]))
			bad++
			n = 1
		}
		i += n
	}
	return b.String(), bad
}

// character decodes the first character of data, which has one to four bytes, and
// returns how many; 0 if there is none that comes back.
func character(data []byte, dec *encoding.Decoder, enc *encoding.Encoder, to *strings.Builder) int {
	for n := 1; n <= min(4, len(data)); n++ {
		s, err := dec.Bytes(data[:n])
		if err != nil || utf8.RuneCount(s) != 1 || bytes.ContainsRune(s, utf8.RuneError) {
			continue
		}
		if r, _ := utf8.DecodeRune(s); r >= firstBad {
			continue
		}
		if back, err := enc.Bytes(s); err == nil && bytes.Equal(back, data[:n]) {
			to.Write(s)
			return n
		}
	}
	return 0
}

func encodeLegacy(text string, f Format) ([]byte, error) {
	e, err := htmlindex.Get(f.Encoding)
	if err != nil {
		return nil, fmt.Errorf("%w: unknown encoding %q", ErrEncoding, f.Encoding)
	}
	enc := e.NewEncoder()
	if !f.Bad {
		if data, err := enc.Bytes([]byte(text)); err == nil {
			return data, nil
		}
	}
	data := make([]byte, 0, len(text))
	for i, r := range text {
		if r < utf8.RuneSelf {
			data = append(data, byte(r))
			continue
		}
		if b, ok := BadByte(r); ok && f.Bad {
			data = append(data, b)
			continue
		}
		b, err := enc.Bytes([]byte(string(r)))
		if err != nil {
			line := 1 + strings.Count(text[:i], "\n")
			return nil, fmt.Errorf("%w: the encoding of the file is %s, which cannot represent %q (%U, line %d); use other characters or convert the file first", ErrEncoding, f.Encoding, r, r, line)
		}
		data = append(data, b...)
	}
	return data, nil
}

// mostlyUTF8 reports whether a text that is not valid UTF-8 is more likely that than
// anything else: other encodings make few sequences of it by chance.
func mostlyUTF8(data []byte) bool {
	good, bad := 0, 0
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			bad++
		} else {
			good++
		}
		i += n
	}
	return good >= 2*bad
}

// utf8WithBadBytes decodes UTF-8. It reports false if the text already has characters
// that stand for bytes.
func utf8WithBadBytes(data []byte) (string, bool) {
	var s strings.Builder
	s.Grow(len(data) + 16)
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			r = firstBad + rune(data[i])
		} else if _, taken := BadByte(r); taken {
			return "", false
		}
		s.WriteRune(r)
		i += n
	}
	return s.String(), true
}

// decodeUnmarked16 decodes UTF-16 without a byte order mark: the high half of most of its units is
// the same, usually zero, and none of its characters is a control character.
func decodeUnmarked16(data []byte) (s, encoding string, ok bool) {
	if len(data)%2 != 0 || len(data) < 4 {
		return "", "", false
	}
	var zeros [2]int
	head := data[:min(len(data), sniff)]
	for i, b := range head {
		if b == 0 {
			zeros[i%2]++
		}
	}
	encoding = UTF16LE
	if zeros[0] > zeros[1] {
		encoding = UTF16BE
	}
	if most := max(zeros[0], zeros[1]); min(zeros[0], zeros[1]) > 0 || most*4 < len(head)/2 {
		return "", "", false
	}
	s, err := decode16(data, encoding)
	odd := strings.IndexFunc(s, func(r rune) bool {
		return r < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1b", r) || r == 0xFFFE || r == 0xFFFF || r >= 0xE000 && r < 0xF900
	})
	return s, encoding, err == nil && odd < 0
}
