package model

import (
	"strings"
	"testing"
)

func TestACacheEstimatesAsWithoutOneAndForgets(t *testing.T) {
	long := strings.Repeat("a long text, größer als 漢字 ", 50)
	req := Request{
		System: long, Tools: []Tool{{Name: "t", Description: long + "d", Schema: []byte(`{"a": "` + long + `"}`)}},
		Messages: []Message{
			{Role: User, Parts: []Part{Text{Text: long + "1"}, Blob{MIME: "image/png"}}},
			{Role: Model, Parts: []Part{Thought{Text: long}, Call{Name: "t", Args: []byte(long)}}},
			{Role: User, Parts: []Part{Result{Name: "t", Output: long + "2", Blobs: []Blob{{MIME: "text/plain", Data: []byte(long)}}}}},
		},
	}
	var c TokenCache
	for range 3 {
		if got, want := c.Request(req), RequestTokens(req); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
		if got, want := c.Around(req.System, req.Tools)+c.Messages(req.Messages), RequestTokens(req); got != want {
			t.Fatalf("in two parts %d, want %d", got, want)
		}
	}
	const texts = 5 // the long one comes twice
	if len(c.now) != texts || len(c.last) != 0 {
		t.Fatalf("it remembers %d and %d texts, want %d and none", len(c.now), len(c.last), texts)
	}
	c.Next()
	c.Request(Request{System: long})
	c.now[long] = 7 // to see that it is not estimated again
	c.Next()
	if got := c.Request(Request{System: long}); got != 7 {
		t.Errorf("a text of the request before was estimated again: %d", got)
	}
	c.Next()
	c.Next()
	if len(c.now)+len(c.last) != 0 {
		t.Errorf("texts that are in no request stay: %d", len(c.now)+len(c.last))
	}
}

func BenchmarkCache(b *testing.B) {
	text := strings.Repeat("func main() { return 1 }\n", 4000)
	var c TokenCache
	b.Run("remembered", func(b *testing.B) {
		for b.Loop() {
			c.text(text)
		}
	})
	b.Run("estimated", func(b *testing.B) {
		for b.Loop() {
			TextTokens(text)
		}
	})
}
