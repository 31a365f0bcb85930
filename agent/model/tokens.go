package model

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The cost of parts other than text, in tokens. The first two are the figures of
// Gemini CLI's estimate; a picture has the highest cost that the API charges for
// one. Audio and video cost Google's 32 tokens a second, at 4,000 bytes a second,
// which few recordings stay below.
const (
	pictureTokens  = 3000
	documentTokens = 25_800
	bytesOfSound   = 4000 / 32
	bytesOfOthers  = 3 // base64 is 4/3 of the bytes, at a quarter of a token each
)

// TextTokens estimates the tokens of a text, rounded down. Long texts are counted in
// full, so that a longer text is never cheaper.
//
// A byte is a quarter of a token. That is the figure of Gemini CLI's estimate for ASCII, and
// by measurement that of words in other alphabets, of two bytes a letter, and in those of East
// Asia, of three. Symbols have the figure of that estimate too, one and a half tokens.
func TextTokens(s string) int64 {
	quarters := len(s)
	for i := 0; i < len(s); i++ {
		if len(s)-i >= 8 && isASCII(s[i:]) {
			i += 7
			continue
		}
		if s[i] < firstOfThree {
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch i += size - 1; {
		case r < 0x2000: // alphabets
			quarters += 2 - size
		case r < 0x2e80 || r >= 0xd800: // not of East Asia
			quarters += 6 - size
		}
	}
	return int64(quarters / 4)
}

// isASCII reports whether the first eight bytes of a text are ASCII.
func isASCII(s string) bool { return (s[0]|s[1]|s[2]|s[3]|s[4]|s[5]|s[6]|s[7])&0x80 == 0 }

// firstOfThree is the least byte that begins a character of three bytes or more.
const firstOfThree = 0xe0

// PartTokens estimates the tokens of a part. Thoughts without a signature are not sent and
// cost nothing.
func PartTokens(p Part) int64 {
	switch p := p.(type) {
	case Text:
		return TextTokens(p.Text)
	case Thought:
		if p.Signature == nil {
			return 0
		}
		return TextTokens(p.Text)
	case Blob:
		return blobTokens(p)
	case Call:
		return TextTokens(p.Name) + TextTokens(string(p.Args))
	case Result:
		n := TextTokens(p.Name) + TextTokens(p.Output)
		for _, b := range p.Blobs {
			n += blobTokens(b)
		}
		return n
	}
	panic(fmt.Sprintf("model: unknown part %T", p))
}

func blobTokens(b Blob) int64 {
	kind, _, _ := strings.Cut(b.MIME, "/")
	switch {
	case kind == "image":
		return pictureTokens
	case b.MIME == "application/pdf":
		return documentTokens
	case kind == "audio", kind == "video":
		return int64(len(b.Data) / bytesOfSound)
	case kind == "text":
		return TextTokens(string(b.Data))
	}
	return int64(len(b.Data) / bytesOfOthers)
}

// MessagesTokens estimates the tokens of messages.
func MessagesTokens(ms []Message) int64 {
	var n int64
	for _, m := range ms {
		for _, p := range m.Parts {
			n += PartTokens(p)
		}
	}
	return n
}

// RequestTokens estimates all the tokens that the provider counts as input.
func RequestTokens(r Request) int64 {
	n := TextTokens(r.System) + MessagesTokens(r.Messages)
	for _, t := range r.Tools {
		n += TextTokens(t.Name) + TextTokens(t.Description) + TextTokens(string(t.Schema))
	}
	return n
}
