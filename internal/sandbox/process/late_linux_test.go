package process

import (
	"io"
	"testing"
	"time"
)

// A process that could not be ended has the output open.
func TestOutputEndsWithoutItsWriters(t *testing.T) {
	for name, streams := range map[string]Streams{"merged": Merged, "watched": Watched} {
		t.Run(name, func(t *testing.T) {
			s, err := Command{Streams: streams}.open()
			if err != nil {
				t.Fatal(err)
			}
			defer s.closeTheirs()
			defer s.closeOurs()
			if _, err := s.theirs[1].WriteString("said\n"); err != nil {
				t.Fatal(err)
			}
			begun := make(chan string, 1)
			over := make(chan struct{})
			go func() { // ends with the output
				defer close(over)
				b := make([]byte, 4)
				_, _ = io.ReadFull(s.Output(), b)
				begun <- string(b)
				_, _ = io.Copy(io.Discard, s.Output())
			}()
			if got := <-begun; got != "said" {
				t.Errorf("read %q", got)
			}
			s.end()
			select {
			case <-over:
			case <-time.After(20 * time.Second):
				t.Fatal("a reader of the output waits for ever")
			}
		})
	}
}
