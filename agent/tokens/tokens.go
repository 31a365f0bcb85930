// Package tokens estimates how many tokens a request costs before it is sent, and
// learns from the provider's counts how far its estimates are off. It asks no
// provider and loads no tokenizer.
package tokens

import (
	"github.com/emendo-dev/emendo/agent/model"
)

// The cost of parts other than text, in tokens. The first two are the figures of
// Gemini CLI's estimate; a picture has the highest cost that the API charges for
// one. Audio and video cost Google's 32 tokens a second, at 4,000 bytes a second,
// which few recordings stay below.
const (
	picture       = 3000
	document      = 25_800
	bytesOfSound  = 4000 / 32
	bytesOfOthers = 3 // base64 is 4/3 of the bytes, at a quarter of a token each
)

// Text estimates the tokens of a text, rounded down. Long texts are counted in
// full, so that a longer text is never cheaper.
func Text(s string) int64 {
	var n int64
	for _, r := range s {
		n += quarters(r)
	}
	return n / 4
}

// quarters returns the cost of a character in quarters of a token. ASCII and
// symbols have the figures of Gemini CLI's estimate, which counts every letter
// outside of ASCII as a symbol. By measurement, words of other alphabets cost a
// quarter to half a token for each letter, and those of East Asia half to two
// thirds.
func quarters(r rune) int64 {
	switch {
	case r < 0x80:
		return 1
	case r < 0x2000: // alphabets
		return 2
	case r >= 0x2e80 && r < 0xd800: // East Asia
		return 3
	}
	return 6
}

// Part estimates the tokens of a part. Thoughts without a signature are not sent and
// cost nothing.
func Part(p model.Part) int64 { return (*Cache)(nil).Part(p) }

// Message estimates the tokens of a message.
func Message(m model.Message) int64 { return (*Cache)(nil).message(m) }

// Messages estimates the tokens of messages.
func Messages(ms []model.Message) int64 { return (*Cache)(nil).Messages(ms) }

// Request estimates all the tokens that the provider counts as input.
func Request(r model.Request) int64 { return (*Cache)(nil).Request(r) }
