package transport

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
)

func TestEventsAreBoundedInSize(t *testing.T) {
	e := events{x: &Exchange{}}
	chunk := make([]byte, 1<<20)
	for i := range chunk {
		chunk[i] = 'x'
	}
	for range maxEvent>>20 + 1 {
		if err := e.parse(chunk); err != nil {
			return
		}
	}
	t.Error("a line without an end was read past the limit")
}

// FuzzEvents checks that it does not matter how a stream is cut into pieces.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("data: {}\r\n\r\ndata: {\"a\":\r\ndata: 1}\n\n: c\n\ndata: [DONE]\n\n"), uint8(1), false)
	f.Add([]byte("\ufeffdata:{}\r\rid: 1\r\n{\n\"error\": {}}\r"), uint8(3), true)
	f.Fuzz(func(t *testing.T, stream []byte, size uint8, named bool) {
		whole, pieces := events{framing: framing(named), x: &Exchange{}}, events{framing: framing(named), x: &Exchange{}}
		if err := whole.parse(stream); err != nil {
			t.Fatal(err)
		}
		whole.end()
		for rest := stream; len(rest) > 0; {
			n := min(int(size)+1, len(rest))
			if err := pieces.parse(rest[:n]); err != nil {
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

func framing(named bool) Framing {
	if named {
		return Named
	}
	return Bare
}

func TestFraming(t *testing.T) {
	const stream = ": hello\r\nevent: a\r\nid: 1\r\ndata: {\"x\":\r\ndata: 1}\r\n\r\nevent: lost\n\ndata: {}\n\ndata: [DONE]\n\n"
	for _, tt := range []struct {
		name    string
		framing Framing
		want    string
	}{
		{"named", Named, "event: a\ndata: {\"x\":\ndata: 1}\n\ndata: {}\n\ndata: [DONE]\n\n"},
		{"bare", Bare, "data: {\"x\":\n1}\n\ndata: {}\n\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := &Exchange{Keep: true}
			e := events{framing: tt.framing, x: x}
			if err := e.parse([]byte(stream)); err != nil {
				t.Fatal(err)
			}
			e.end()
			if got := string(e.out); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if want := "{\"x\":\n1}|{}"; string(bytes.Join(x.Events, []byte("|"))) != want {
				t.Errorf("kept %q, want %q", x.Events, want)
			}
		})
	}
}

// endless is a stream of events that does not end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	const event = "data: {\"choices\":[{\"delta\":{\"content\":\"as long as one is at the least, in an answer of a model\"}}]}\n\n"
	n := 0
	for n+len(event) <= len(p) {
		n += copy(p[n:], event)
	}
	return n, nil
}

func TestAResponseIsBoundedInSize(t *testing.T) {
	x := &Exchange{Status: 200}
	b := &body{x: x, ctx: t.Context(), cancel: func(error) {}, inner: io.NopCloser(endless{}), events: events{x: x}, left: time.Minute, idle: time.Minute, most: maxStream}
	n, err := io.Copy(io.Discard, b)
	if e, ok := errors.AsType[*model.Error](err); !ok || e.Kind != model.Invalid || n > maxStream {
		t.Errorf("after %d bytes: %v", n, err)
	}
}
