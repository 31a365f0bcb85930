package process

import (
	"io"
	"runtime"
	"testing"
	"time"
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
	if first.command.ProcessState == nil { // Kill waits for it
		t.Error("the command was not started by the supervisor that waited")
	}
	second := s.waits(t)
	if second == first {
		t.Fatal("a supervisor waits again after its command")
	}

	if err := second.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	say("three, though the one that waited is gone")

	// It ends when the server does.
	last := s.waits(t)
	last.control.Close()
	if err := last.command.Wait(); err != nil {
		t.Errorf("a supervisor without a server ends with %v", err)
	}
}
