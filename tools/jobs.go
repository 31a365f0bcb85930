package tools

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// A Job is a command that goes on when the call that began it has ended.
type Job interface {
	PID() int
	Command() string // as the model gave it
	// Over is closed when the job has ended with everything that it had started.
	Over() <-chan struct{}
	// State says in a few words how it stands, such as "running" or "exit 1".
	State() string
	// Made names what it made while it ran that decides what may run, once it is
	// over; empty for nothing. The user is told of that in any case.
	Made() string
	// Output is the end of what it has printed, at most so many lines and
	// 64 KiB, as it stands on a terminal.
	Output(lines int) string
	// Log is the file that keeps more of the output; empty when there is none.
	Log() string
	// Origin is where what it prints may come from; empty: this machine.
	Origin() Origin
	// End ends it with everything that it has started, and returns when all
	// is gone.
	End()
}

// How many jobs a session has: running ones, and all that it knows of.
const (
	maxRunningJobs = 16
	maxJobs        = 100
)

// ErrNoMoreJobs says that another job cannot go on.
var ErrNoMoreJobs = errors.New("no further command can go on in the background")

// Jobs are the jobs of one session. The zero value is ready for use.
type Jobs struct {
	mu     sync.Mutex
	all    []Job // the oldest first
	closed bool
}

// Add takes a job in. The caller ends the job when that fails.
func (j *Jobs) Add(job Job) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return fmt.Errorf("the session is being closed: %w", ErrNoMoreJobs)
	}
	running := 0
	for _, o := range j.all {
		if !isOver(o) {
			running++
		}
	}
	if running >= maxRunningJobs {
		return fmt.Errorf("%d run already, end one first: %w", running, ErrNoMoreJobs)
	}
	j.all = append(j.all, job)
	if i := slices.IndexFunc(j.all, isOver); len(j.all) > maxJobs && i >= 0 {
		j.all = slices.Delete(j.all, i, i+1)
	}
	return nil
}

// List gives the jobs, the oldest first: those that run, and the newest of
// those that are over.
func (j *Jobs) List() []Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.all)
}

// Find gives the newest job with that process id; nil when there is none.
func (j *Jobs) Find(pid int) Job {
	all := j.List()
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].PID() == pid {
			return all[i]
		}
	}
	return nil
}

// Close ends all jobs, side by side, and lets no other begin.
func (j *Jobs) Close() {
	j.mu.Lock()
	j.closed = true
	all := slices.Clone(j.all)
	j.mu.Unlock()
	var ending sync.WaitGroup
	for _, job := range all {
		ending.Go(job.End)
	}
	ending.Wait()
}

func isOver(j Job) bool {
	select {
	case <-j.Over():
		return true
	default:
		return false
	}
}
