package stdio

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

func read(t *testing.T, in io.Reader) (string, error) {
	t.Helper()
	l := newLines(in)
	text, err := io.ReadAll(l)
	if l.err != io.EOF {
		err = l.err
	}
	return string(text), err
}

func TestLinesThatAreMessages(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"messages", "{\"a\":1}\n[1]\n", "{\"a\":1}\n[1]\n"},
		{"a banner and debug output", "Server v1 is up\n\n{\"a\":1}\n{debug}\n\x1b[32mgreen\x1b[0m\n  {\"b\":2}  \r\n", "{\"a\":1}\n{\"b\":2}\n"},
		{"no end of the line", "{\"a\":1}", "{\"a\":1}\n"},
		{"half a message", "{\"a\":", ""},
		{"a long line of text", strings.Repeat("x", 200_000) + "{\"a\":1}\n{\"b\":2}\n", "{\"b\":2}\n"},
		{"a long message", `{"a":"` + strings.Repeat("x", 200_000) + "\"}\n", `{"a":"` + strings.Repeat("x", 200_000) + "\"}\n"},
	} {
		for name, in := range map[string]io.Reader{c.name: strings.NewReader(c.in), c.name + ", in halves": iotest.HalfReader(strings.NewReader(c.in))} {
			if got, err := read(t, in); got != c.want || err != nil {
				t.Errorf("%s: got %.200q, %v", name, got, err)
			}
		}
	}
}

// endless repeats a text.
type endless struct{ text string }

func (e endless) Read(b []byte) (int, error) {
	return copy(b, strings.Repeat(e.text, len(b)/len(e.text)+1)), nil
}

func TestHostileOutput(t *testing.T) {
	for _, c := range []struct {
		name string
		in   io.Reader
		want string
	}{
		{"garbage", endless{"garbage garbage\n"}, `it prints text that is no message of the protocol, such as "garbage garbage"`},
		{"one line of garbage", endless{"xy"}, "it prints text that is no message"},
		{"messages", endless{"{\"jsonrpc\":\"2.0\"}\n"}, "it floods emendo with messages: more than 1000 a second"},
		{"a message without an end", io.MultiReader(strings.NewReader(`{"a":"`), endless{"xxxxxxxx"}), "it sent a message of more than 1 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // no time passes
				l := newLines(c.in)
				l.longest = 1 << 20
				if _, err := io.Copy(io.Discard, l); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

// A server that sends a thousand messages a second may do so for ever.
func TestManyMessagesInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		go func() {
			for range 100_000 {
				time.Sleep(time.Millisecond)
				_, _ = io.WriteString(out, "{}\n")
			}
			out.Close()
		}()
		if got, err := read(t, in); len(got) != 300_000 || err != nil {
			t.Errorf("got %d bytes, %v", len(got), err)
		}
	})
}
