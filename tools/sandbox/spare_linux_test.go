package sandbox

import (
	"runtime"
	"testing"
	"time"
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

	third := usual.waits(t)
	usual.mu.Lock()
	usual.ready = nil
	usual.mu.Unlock()
	third.control.Close() // as when the server ends
	if err := third.command.Wait(); err != nil {
		t.Errorf("a supervisor without a server ends with %v", err)
	}
}
