package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// A Job is a command that keeps running after the call that started it.
type Job interface {
	PID() int
	Command() string // as the model gave it
	// Over is closed when the job and everything it started have ended.
	Over() <-chan struct{}
	// State returns a short status, such as "running" or "exit 1".
	State() string
	// Made names the files it made that decide what may run, once it is over, or is
	// empty. The user is always notified of them.
	Made() string
	// Output returns the end of its output as a terminal shows it, at most that
	// many lines and 64 KiB.
	Output(lines int) string
	// Written returns what it has written from an offset on, as it was written, and the offset
	// behind that. It waits until there is something, and returns [io.EOF] with the last of it.
	// What is not kept any more is left out: only the end of the output is.
	Written(ctx context.Context, at int64) (b []byte, next int64, err error)
	// Met returns what it met at its sandbox once it has failed, to the first caller; nil
	// to all others, and if it met nothing.
	Met() *Met
	// Log returns the file with more of the output, or "".
	Log() string
	// Origin returns where its output may come from; "" means this machine.
	Origin() Origin
	// End ends it and everything it started, and returns when all have ended.
	End()
}

// Limits of jobs in a session: those that run, and all that are kept.
const (
	maxRunningJobs = 16
	maxJobs        = 100
)

// ErrNoMoreJobs is returned when no further job can be added.
var ErrNoMoreJobs = errors.New("no further command can run in the background")

// Jobs are the jobs of one session. The zero value is empty and ready to use.
type Jobs struct {
	mu     sync.Mutex
	all    []Job // oldest first
	closed bool
	after  func() // called by Close when all have ended; may be nil
}

// AfterClose sets what [Jobs.Close] calls when the jobs have ended.
func (j *Jobs) AfterClose(f func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.after = f
}

// Add adds a job. If it fails, the caller must end the job.
func (j *Jobs) Add(job Job) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return fmt.Errorf("the session is closing: %w", ErrNoMoreJobs)
	}
	running := 0
	for _, o := range j.all {
		if !isOver(o) {
			running++
		}
	}
	if running >= maxRunningJobs {
		return fmt.Errorf("%d are running, end one first: %w", running, ErrNoMoreJobs)
	}
	j.all = append(j.all, job)
	if i := slices.IndexFunc(j.all, isOver); len(j.all) > maxJobs && i >= 0 {
		j.all = slices.Delete(j.all, i, i+1)
	}
	return nil
}

// List returns the jobs, oldest first: those that run, and the newest of those
// that have ended.
func (j *Jobs) List() []Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.all)
}

// Find returns the newest job with that process ID, or nil.
func (j *Jobs) Find(pid int) Job {
	all := j.List()
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].PID() == pid {
			return all[i]
		}
	}
	return nil
}

// Close ends all jobs in parallel and refuses new ones.
func (j *Jobs) Close() {
	j.mu.Lock()
	j.closed = true
	all, after := slices.Clone(j.all), j.after
	j.mu.Unlock()
	var ending sync.WaitGroup
	for _, job := range all {
		ending.Go(job.End)
	}
	ending.Wait()
	if after != nil {
		after()
	}
}

func isOver(j Job) bool {
	select {
	case <-j.Over():
		return true
	default:
		return false
	}
}
