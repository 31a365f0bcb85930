package model

import (
	"fmt"
	"strings"
)

// TokenCache estimates the requests of one conversation and remembers the estimates of
// texts, because each request repeats the one before. The zero value is empty, and
// a nil *TokenCache remembers nothing. It is not safe for concurrent use.
type TokenCache struct {
	now, last map[string]int64 // texts of this request and of the one before
}

// remembered is the length, in bytes, from which the estimate of a text is kept:
// shorter ones are estimated as fast as they are looked up.
const remembered = 256

// text is [TextTokens] with the cache.
func (c *TokenCache) text(s string) int64 {
	if c == nil || len(s) < remembered {
		return TextTokens(s)
	}
	n, ok := c.now[s]
	if ok {
		return n
	}
	if n, ok = c.last[s]; !ok {
		n = TextTokens(s)
	}
	if c.now == nil {
		c.now = map[string]int64{}
	}
	c.now[s] = n
	return n
}

// Next drops the texts that were not used since it was last called.
func (c *TokenCache) Next() {
	c.now, c.last = c.last, c.now
	clear(c.now)
}

// Part is [PartTokens] with the cache.
func (c *TokenCache) Part(p Part) int64 {
	switch p := p.(type) {
	case Text:
		return c.text(p.Text)
	case Thought:
		if p.Signature == nil {
			return 0
		}
		return c.text(p.Text)
	case Blob:
		return blobTokens(p)
	case Call:
		return TextTokens(p.Name) + c.text(string(p.Args))
	case Result:
		n := TextTokens(p.Name) + c.text(p.Output)
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

func (c *TokenCache) message(m Message) int64 {
	var n int64
	for _, p := range m.Parts {
		n += c.Part(p)
	}
	return n
}

// Messages is [MessagesTokens] with the cache.
func (c *TokenCache) Messages(ms []Message) int64 {
	var n int64
	for _, m := range ms {
		n += c.message(m)
	}
	return n
}

func (c *TokenCache) tools(ts []Tool) int64 {
	var n int64
	for _, t := range ts {
		n += TextTokens(t.Name) + c.text(t.Description) + c.text(string(t.Schema))
	}
	return n
}

// Request is [RequestTokens] with the cache.
func (c *TokenCache) Request(r Request) int64 {
	return c.text(r.System) + c.tools(r.Tools) + c.Messages(r.Messages)
}

// Around estimates the parts of a request that are not messages.
func (c *TokenCache) Around(system string, tools []Tool) int64 {
	return c.text(system) + c.tools(tools)
}
