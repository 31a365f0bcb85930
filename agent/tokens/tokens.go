// Package tokens estimates how many tokens a request costs before it is sent,
// and learns from the provider's own counts how far its estimates are off. It
// asks no provider and loads no tokenizer.
package tokens

import (
	"github.com/emendo-dev/emendo/agent/model"
)

// What parts cost that are no text, in tokens. The first two are the figures of
// Gemini CLI's estimate; a picture is the dearest that the API makes of one.
// Sound and film cost Google's 32 tokens a second, at 4,000 bytes a second,
// which recordings seldom fall short of.
const (
	picture       = 3000
	document      = 25_800
	bytesOfSound  = 4000 / 32
	bytesOfOthers = 3 // base64 is 4/3 of the bytes, at a quarter of a token each
)

// Text is about how many tokens a text costs, rounded down. All of it is
// counted, however long, so that a longer text is never the cheaper one.
func Text(s string) int64 {
	var n int64
	for _, r := range s {
		n += quarters(r)
	}
	return n / 4
}

// quarters is what a character costs, in quarters of a token. Those of ASCII and
// of symbols are the figures of Gemini CLI's estimate, which takes every letter
// outside of ASCII for a symbol. Words of alphabets were measured to come to a
// quarter to a half of a token a letter, those of East Asia to a half to two
// thirds.
func quarters(r rune) int64 {
	switch {
	case r < 0x80:
		return 1
	case r < 0x2000: // the alphabets
		return 2
	case r >= 0x2e80 && r < 0xd800: // East Asia
		return 3
	}
	return 6
}

// Part is about how many tokens a part costs. Thoughts stay here, so they cost
// none.
func Part(p model.Part) int64 { return (*Cache)(nil).Part(p) }

// Message is the sum over the parts of a message.
func Message(m model.Message) int64 { return (*Cache)(nil).message(m) }

// Messages is the sum over messages.
func Messages(ms []model.Message) int64 { return (*Cache)(nil).Messages(ms) }

// Request is the whole of what the provider counts as its input.
func Request(r model.Request) int64 { return (*Cache)(nil).Request(r) }
