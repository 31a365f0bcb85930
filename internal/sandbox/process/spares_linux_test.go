package process

import (
	"io"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// waits returns the spare supervisor.
func (s *Spares) waits(t *testing.T) *waiting {
	t.Helper()
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); runtime.Gosched() {
		s.mu.Lock()
		w := s.ready
		s.mu.Unlock()
		if w != nil {
			return w
		}
	}
	t.Fatal("no supervisor waits for the next command")
	return nil
}

func TestCommandUsesTheSpareSupervisor(t *testing.T) {
	var s Spares
	say := func(what string) {
		t.Helper()
		p, err := Start(t.Context(), Command{Argv: []string{"/bin/echo", what}, Dir: "/", Env: []string{}}, Supervision{Spares: &s})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Kill(0)
		if out, err := io.ReadAll(p.Output()); string(out) != what+"\n" || err != nil || p.Wait() != (Exit{}) {
			t.Errorf("it printed %q, %v and ended with %+v, want %q", out, err, p.Wait(), what)
		}
	}
	say("one")
	first := s.waits(t)
	say("two")
	if first.launched.(child).ProcessState == nil { // Kill waits for it
		t.Error("the command was not started by the supervisor that waited")
	}
	second := s.waits(t)
	if second == first {
		t.Fatal("a supervisor waits again after its command")
	}

	if err := second.launched.(child).Process.Kill(); err != nil {
		t.Fatal(err)
	}
	say("three, though the one that waited is gone")

	// It ends when the server does.
	last := s.waits(t)
	last.control.Close()
	if err := last.launched.(child).Wait(); err != nil {
		t.Errorf("a supervisor without a server ends with %v", err)
	}
}

// A supervisor that did not get all streams must not start the command: its output would be
// lost.
func TestStreamsInMessages(t *testing.T) {
	for _, c := range []struct {
		name   string
		rights []byte
		flags  int
		want   []int
		fails  bool
	}{
		{name: "no message"},
		{name: "all", rights: unix.UnixRights(4, 5, 6), want: []int{4, 5, 6}},
		{name: "one is missing", rights: unix.UnixRights(4, 5), fails: true},
		{name: "some did not fit", rights: unix.UnixRights(4, 5), flags: unix.MSG_CTRUNC, fails: true},
		{name: "none did fit", flags: unix.MSG_CTRUNC, fails: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := filesIn(c.rights, c.flags)
			if err == nil {
				err = allStreams(got)
			}
			if (err != nil) != c.fails || !c.fails && !slices.Equal(got, c.want) {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
}
