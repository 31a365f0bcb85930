// Package tokens estimates how many tokens a request costs before it is sent,
// and learns from the provider's own counts how far its estimates are off. It
// asks no provider and loads no tokenizer.
package tokens

import (
	"fmt"
	"strings"

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
func Part(p model.Part) int64 {
	switch p := p.(type) {
	case model.Text:
		return Text(p.Text)
	case model.Thought:
		return 0
	case model.Blob:
		return blob(p)
	case model.Call:
		return Text(p.Name) + Text(string(p.Args))
	case model.Result:
		n := Text(p.Name) + Text(p.Output)
		for _, b := range p.Blobs {
			n += blob(b)
		}
		return n
	}
	panic(fmt.Sprintf("tokens: unknown part %T", p))
}

func blob(b model.Blob) int64 {
	kind, _, _ := strings.Cut(b.MIME, "/")
	switch {
	case kind == "image":
		return picture
	case b.MIME == "application/pdf":
		return document
	case kind == "audio", kind == "video":
		return int64(len(b.Data) / bytesOfSound)
	case kind == "text":
		return Text(string(b.Data))
	}
	return int64(len(b.Data) / bytesOfOthers)
}

// Message is the sum over the parts of a message.
func Message(m model.Message) int64 {
	var n int64
	for _, p := range m.Parts {
		n += Part(p)
	}
	return n
}

// Messages is the sum over messages.
func Messages(ms []model.Message) int64 {
	var n int64
	for _, m := range ms {
		n += Message(m)
	}
	return n
}

// Tools is what declaring tools costs.
func Tools(ts []model.Tool) int64 {
	var n int64
	for _, t := range ts {
		n += Text(t.Name) + Text(t.Description) + Text(string(t.Schema))
	}
	return n
}

// Request is the whole of what the provider counts as its input.
func Request(r model.Request) int64 {
	return Text(r.System) + Tools(r.Tools) + Messages(r.Messages)
}
