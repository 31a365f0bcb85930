package tokens

import (
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// Cache estimates the requests of one conversation and remembers the estimates of
// texts, because each request repeats the one before. The zero value is empty, and
// a nil *Cache remembers nothing. It is not safe for concurrent use.
type Cache struct {
	now, last map[string]int64 // texts of this request and of the one before
}

// remembered is the length, in bytes, from which the estimate of a text is kept:
// shorter ones are estimated as fast as they are looked up.
const remembered = 256

// text is [Text] with the cache.
func (c *Cache) text(s string) int64 {
	if c == nil || len(s) < remembered {
		return Text(s)
	}
	n, ok := c.now[s]
	if ok {
		return n
	}
	if n, ok = c.last[s]; !ok {
		n = Text(s)
	}
	if c.now == nil {
		c.now = map[string]int64{}
	}
	c.now[s] = n
	return n
}

// Next drops the texts that were not used since it was last called.
func (c *Cache) Next() {
	c.now, c.last = c.last, c.now
	clear(c.now)
}

// Part is [Part] with the cache.
func (c *Cache) Part(p model.Part) int64 {
	switch p := p.(type) {
	case model.Text:
		return c.text(p.Text)
	case model.Thought:
		if p.Signature == nil {
			return 0
		}
		return c.text(p.Text)
	case model.Blob:
		return blob(p)
	case model.Call:
		return Text(p.Name) + c.text(string(p.Args))
	case model.Result:
		n := Text(p.Name) + c.text(p.Output)
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

func (c *Cache) message(m model.Message) int64 {
	var n int64
	for _, p := range m.Parts {
		n += c.Part(p)
	}
	return n
}

// Messages is [Messages] with the cache.
func (c *Cache) Messages(ms []model.Message) int64 {
	var n int64
	for _, m := range ms {
		n += c.message(m)
	}
	return n
}

func (c *Cache) tools(ts []model.Tool) int64 {
	var n int64
	for _, t := range ts {
		n += Text(t.Name) + c.text(t.Description) + c.text(string(t.Schema))
	}
	return n
}

// Request is [Request] with the cache.
func (c *Cache) Request(r model.Request) int64 {
	return c.text(r.System) + c.tools(r.Tools) + c.Messages(r.Messages)
}

// Around estimates the parts of a request that are not messages.
func (c *Cache) Around(system string, tools []model.Tool) int64 {
	return c.text(system) + c.tools(tools)
}
