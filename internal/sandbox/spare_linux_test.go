package sandbox

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// waits gives the supervisor that waits for the next command.
func (s *spares) waits(t *testing.T) *waiting {
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

func TestACommandGoesToTheSupervisorThatWaits(t *testing.T) {
	b := newTestbed(t)
	say := func(what string) {
		t.Helper()
		if out, end := b.run(with(namespaced), nil, "/bin/echo", what); out != what+"\n" || end != (Exit{}) {
			t.Errorf("it printed %q and ended with %+v, want %q", out, end, what)
		}
	}
	say("one")
	first := usual.waits(t)
	say("two")
	if first.command.ProcessState == nil { // it is waited for before Kill returns
		t.Error("the command was not started by the supervisor that waited")
	}
	second := usual.waits(t)
	if second == first {
		t.Fatal("a supervisor waits again after its command")
	}

	if err := second.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	say("three, though the one that waited is gone")

	usual.dismiss(t)
}

// dismiss ends the supervisor that waits for the next command, as the end of the
// server does.
func (s *spares) dismiss(t *testing.T) {
	t.Helper()
	w := s.waits(t)
	s.mu.Lock()
	s.ready = nil
	s.mu.Unlock()
	w.control.Close()
	if err := w.command.Wait(); err != nil {
		t.Errorf("a supervisor without a server ends with %v", err)
	}
}

// What a command makes has the modes that the user's programs make.
func TestACommandHasTheUsersMask(t *testing.T) {
	b := newTestbed(t)
	b.shell(with(namespaced), ":")
	usual.dismiss(t) // it was started with another mask
	defer unix.Umask(unix.Umask(0o027))
	for name, start := range everyMeans() {
		if out, _ := b.shell(start, "umask"); out != "0027\n" {
			t.Errorf("%s: got %q", name, out)
		}
	}
	usual.dismiss(t)
}
