package process

import (
	"context"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// A process is a command and its descendants. Windows knows a process's parent only
// while the parent lives, so nothing is known of what a command that has ended leaves
// behind.
type process struct {
	*streams
	pid  int
	exit Exit          // valid once done is closed
	done chan struct{} // the command has ended
	left chan struct{} // the command could not be ended

	leave sync.Once // closes left
}

func (system) Start(ctx context.Context, c Command) (Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	s, err := c.open()
	if err != nil {
		return nil, err
	}
	defer s.closeTheirs()
	cmd := &exec.Cmd{
		Path: c.Argv[0], Args: c.Argv, Dir: c.Dir, Env: c.Env, Stdin: s.theirs[0], Stdout: s.theirs[1], Stderr: s.theirs[2],
		SysProcAttr: &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true},
	}
	if err := cmd.Start(); err != nil {
		s.closeOurs()
		return nil, err
	}
	p := &process{streams: s, pid: cmd.Process.Pid, done: make(chan struct{}), left: make(chan struct{})}
	go func() { // ends with the command
		_ = cmd.Wait() // the state has the same information
		p.exit = Exit{Code: cmd.ProcessState.ExitCode()}
		close(p.done)
	}()
	return p, nil
}

func (p *process) PID() int { return p.pid }

func (p *process) Wait() Exit {
	select {
	case <-p.done:
		return p.exit
	case <-p.left:
		return Exit{Code: -1}
	}
}

// Kill ends the whole tree at once; Windows cannot ask processes to end.
func (p *process) Kill(time.Duration) (ended, left []int) {
	defer p.end()
	select {
	case <-p.done:
		return nil, nil
	default:
	}
	if folder, err := windows.GetSystemDirectory(); err == nil { // else the command is left
		exec.Command(filepath.Join(folder, "taskkill.exe"), "/T", "/F", "/PID", strconv.Itoa(p.pid)).Run() // fails if it has ended
	}
	select {
	case <-p.done:
		return []int{p.pid}, nil
	case <-time.After(giveUp):
		p.leave.Do(func() { close(p.left) })
		return nil, []int{p.pid}
	}
}

// giveUp is how long Kill waits for the end of a process.
const giveUp = 2 * time.Second
