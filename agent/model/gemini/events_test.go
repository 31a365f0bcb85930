package gemini

import (
	"testing"
)

func TestEventsAreBoundedInSize(t *testing.T) {
	e := events{}
	chunk := make([]byte, 1<<20)
	for i := range chunk {
		chunk[i] = 'x'
	}
	for range maxEvent>>20 + 1 {
		if err := e.feed(chunk); err != nil {
			return
		}
	}
	t.Error("a line without an end was read past the limit")
}

// FuzzEvents checks that it does not matter how a stream is cut into pieces.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("data: {}\r\n\r\ndata: {\"a\":\r\ndata: 1}\n\n: c\n\ndata: [DONE]\n\n"), uint8(1))
	f.Add([]byte("\ufeffdata:{}\r\rid: 1\r\n{\n\"error\": {}}\r"), uint8(3))
	f.Fuzz(func(t *testing.T, stream []byte, size uint8) {
		var whole, pieces events
		if err := whole.feed(stream); err != nil {
			t.Fatal(err)
		}
		whole.end()
		for rest := stream; len(rest) > 0; {
			n := min(int(size)+1, len(rest))
			if err := pieces.feed(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		pieces.end()
		if string(whole.out) != string(pieces.out) {
			t.Errorf("in pieces of %d: %q, at once: %q", int(size)+1, pieces.out, whole.out)
		}
	})
}
