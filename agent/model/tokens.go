package model

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
func TextTokens(s string) int64 {
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

// PartTokens estimates the tokens of a part. Thoughts without a signature are not sent and
// cost nothing.
func PartTokens(p Part) int64 { return (*TokenCache)(nil).Part(p) }

// MessageTokens estimates the tokens of a message.
func MessageTokens(m Message) int64 { return (*TokenCache)(nil).message(m) }

// MessagesTokens estimates the tokens of messages.
func MessagesTokens(ms []Message) int64 { return (*TokenCache)(nil).Messages(ms) }

// RequestTokens estimates all the tokens that the provider counts as input.
func RequestTokens(r Request) int64 { return (*TokenCache)(nil).Request(r) }
