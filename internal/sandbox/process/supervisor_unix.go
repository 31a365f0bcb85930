//go:build unix

package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Intervals for ending processes.
const (
	lookAgain   = 3 * time.Millisecond   // between two looks for processes that run
	lastGrace   = 100 * time.Millisecond // if the server is gone
	giveUp      = 2 * time.Second        // after which a process that cannot be killed is left
	endingSoon  = 30 * time.Millisecond  // for processes that are ending by themselves
	exitNotZero = 1
)

// A supervisor is the parent of one command and lives as long as anything that comes
// from it. It shares only a socket with the server. When that closes, however the
// server has ended, the supervisor ends everything that the command has started.
type supervisor struct {
	spec    spec
	confine Confiner
	orders  *json.Decoder

	telling sync.Mutex
	reports *json.Encoder

	tree    *tree
	exited  chan struct{} // the command has ended
	orphans chan struct{} // closed when no child is left
}

func (s *supervisor) run() int {
	signal.Notify(make(chan os.Signal, 1), unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT) // only the server ends it; commands get the default dispositions
	s.exited, s.orphans = make(chan struct{}), make(chan struct{})
	if err := becomeAncestor(); err != nil {
		s.sendReport(report{Error: "adopting what a command leaves behind: " + err.Error()})
		return exitNotZero
	}
	pid, err := s.start()
	if err != nil {
		s.sendReport(report{Error: err.Error()})
		return exitNotZero
	}
	releaseStreams()
	s.tree = newTree(pid)
	s.sendReport(report{PID: pid})
	go s.reap(pid) // ends when no child is left, or with this process
	ordered := make(chan order)
	go func() { // ends with the socket, or with this process
		defer close(ordered)
		for {
			var o order // what is absent is zero
			if s.orders.Decode(&o) != nil {
				return
			}
			ordered <- o
		}
	}()
	for {
		select {
		case o, ok := <-ordered:
			switch {
			case !ok:
				o.Kill = lastGrace
			case o.Pause:
				s.pause()
				continue
			case o.Resume:
				s.tree.signal(s.tree.living(), unix.SIGCONT)
				continue
			}
			ended, left := s.end(o.Kill, ordered)
			s.sendReport(report{Killed: true, Ended: ended, Left: left})
		case <-s.orphans:
		}
		return 0
	}
}

// mostPauses bounds how often a paused tree is looked at for new processes.
const mostPauses = 100

// pause stops all processes. One that has started another meanwhile is stopped by then.
func (s *supervisor) pause() {
	seen := 0
	for range mostPauses {
		all := s.tree.living()
		s.tree.signal(all, unix.SIGSTOP)
		if len(all) == seen {
			return
		}
		seen = len(all)
	}
}

// sendReport sends a report, and ignores a server that is gone.
func (s *supervisor) sendReport(r report) {
	s.telling.Lock()
	defer s.telling.Unlock()
	_ = s.reports.Encode(r)
}

// reap waits for children as they end, the command and adopted ones.
func (s *supervisor) reap(command int) {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(waitsFor(command), &status, 0, nil)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			if adopts {
				close(s.orphans)
			}
			return
		}
		if pid == command {
			e := exitOf(syscall.WaitStatus(status))
			s.sendReport(report{Exit: &e})
			close(s.exited)
		}
	}
}

// end asks all processes to end and kills them after grace, or sooner if a further
// order says so or the server is gone. It returns the processes that it ended and those
// that it could not.
func (s *supervisor) end(grace time.Duration, ordered <-chan order) (ended, left []int) {
	ended = s.tree.living()
	select {
	case <-s.exited:
		ended = s.waitFor(endingSoon, nil)
	default:
	}
	s.tree.signal(ended, unix.SIGTERM)
	s.tree.signal(ended, unix.SIGCONT) // they may be paused
	left = s.waitFor(grace, ordered)
	for until := time.Now().Add(giveUp); len(left) > 0 && time.Now().Before(until); left = s.waitFor(lookAgain, nil) {
		s.tree.signal(left, unix.SIGKILL)
	}
	return without(ended, left), left
}

// waitFor waits until no process is left, for at most the given time or less if an
// order says so, and returns the processes that are left.
func (s *supervisor) waitFor(most time.Duration, ordered <-chan order) []int {
	timer := time.NewTimer(most)
	defer timer.Stop()
	until := time.Now().Add(most)
	for {
		left := s.tree.living()
		if len(left) == 0 {
			<-s.exited // report its exit first
			return nil
		}
		select {
		case <-timer.C:
			return left
		case o, ok := <-ordered:
			if !ok {
				o.Kill, ordered = lastGrace, nil
			}
			if sooner := time.Now().Add(o.Kill); sooner.Before(until) {
				until = sooner
				timer.Reset(o.Kill)
			}
		case <-s.orphans:
		case <-time.After(lookAgain):
		}
	}
}

// releaseStreams replaces this process's standard streams by the null device, so that
// the command's streams end with the command.
func releaseStreams() {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	for fd := range 3 {
		if err != nil {
			unix.Close(fd)
			continue
		}
		_ = redirect(null, fd)
	}
	if err == nil && null > 2 {
		unix.Close(null)
	}
}

// start starts the command, confined if the spec says so.
func (s *supervisor) start() (int, error) {
	switch {
	case s.spec.Confinement == nil:
		return s.spec.start()
	case s.confine == nil:
		return 0, errors.New("this program cannot confine commands")
	}
	return s.confine(s.spec.Confinement, s.spec.start)
}

// start starts the command in a session of its own.
func (s spec) start() (int, error) {
	pid, err := syscall.ForkExec(s.Argv[0], s.Argv, &syscall.ProcAttr{
		Dir: s.Dir, Env: s.Env, Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Setsid: true, Setctty: s.Terminal},
	})
	if err != nil {
		if at := unix.Access(s.Dir, unix.X_OK); at != nil {
			return 0, fmt.Errorf("start a command in %s: %w", s.Dir, at)
		}
		return 0, &os.PathError{Op: "start", Path: s.Argv[0], Err: err}
	}
	return pid, nil
}

func exitOf(w syscall.WaitStatus) Exit {
	if w.Signaled() {
		return Exit{Code: -1, Signal: w.Signal().String()}
	}
	return Exit{Code: w.ExitStatus()}
}

// without returns all without the members of less.
func without(all, less []int) []int {
	var l []int
	for _, n := range all {
		if !slices.Contains(less, n) {
			l = append(l, n)
		}
	}
	return l
}
