//go:build unix

package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"
)

// pass makes the deadlines of our outputs pass.
func (s *streams) pass(t *testing.T) {
	t.Helper()
	for _, f := range []*os.File{s.output, s.errs} {
		if f == nil {
			continue
		}
		if err := f.SetReadDeadline(time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
	}
}

// On a busy machine the readers of a command's outputs may run only after the deadlines
// that Kill sets.
func TestLateReadersGetTheWholeOutput(t *testing.T) {
	for name, streams := range map[string]Streams{"merged": Merged, "separate": Separate, "watched": Watched} {
		t.Run(name, func(t *testing.T) {
			line, want, wantErrors := "i=0; while [ $i -lt 200 ]; do echo line $i; i=$((i+1)); done; echo failed >&2", "", ""
			for i := range 200 {
				want += fmt.Sprintf("line %d\n", i)
			}
			if streams == Separate {
				wantErrors = "failed\n"
			} else {
				want += "failed\n"
			}
			p, err := System().Start(t.Context(), Command{Argv: []string{"/bin/sh", "-c", line}, Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}, Streams: streams})
			if err != nil {
				t.Fatal(err)
			}
			if e := p.Wait(); e != (Exit{}) {
				t.Errorf("it ended with %+v", e)
			}
			p.Kill(0)
			p.(*Supervised).pass(t)
			b, err := io.ReadAll(p.Output())
			if got := string(b); got != want || err != nil {
				t.Errorf("output: %q, %v, want %q", got, err, want)
			}
			if streams != Separate {
				return
			}
			if got, err := io.ReadAll(p.Errors()); string(got) != wantErrors || err != nil {
				t.Errorf("errors: %q, %v, want %q", got, err, wantErrors)
			}
		})
	}
}

// A process that could not be ended may write for ever.
func TestOutputEndsWhileAProcessWrites(t *testing.T) {
	s, err := Command{Streams: Merged}.open()
	if err != nil {
		t.Fatal(err)
	}
	defer s.closeTheirs()
	defer s.closeOurs()
	write := func() {
		t.Helper()
		if _, err := s.theirs[1].Write(make([]byte, 48<<10)); err != nil {
			t.Fatal(err)
		}
	}
	write()
	s.end()
	s.pass(t)
	b, read := make([]byte, 48<<10), 0
	for err == nil && read < 2*maxLate {
		var n int
		n, err = s.Output().Read(b)
		read += n
		if n == len(b) {
			write()
		}
	}
	if read != maxLate || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read %d bytes, %v, want %d and the deadline", read, err, maxLate)
	}
}

// A process that could not be ended and goes on writing holds nobody up.
func TestLateReadersDoNotWaitForAProcessThatIsLeft(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	end := make(chan struct{})
	go func() {
		defer w.Close()
		for { // as fast as it is read
			select {
			case <-end:
				return
			default:
				if _, err := w.WriteString("x"); err != nil {
					return
				}
			}
		}
	}()
	defer close(end)
	s := &streams{output: r}
	s.late[0].waited = 2 * lateReads // it has been waited for that long
	s.pass(t)
	if n, err := s.Output().Read(make([]byte, 1)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read %d bytes, %v", n, err)
	}
}
