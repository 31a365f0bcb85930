package sandbox

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"
)

// How processes are ended: how often their number is looked at, and when they
// are given up.
const (
	lookAgain = 3 * time.Millisecond
	giveUp    = 2 * time.Second
)

// markName is the variable that marks every process of a command, so that
// those are found that have left its group and lost their parents.
const markName = "EMENDO_COMMAND"

// System starts processes of the operating system.
func System() Spawner { return system{} }

type system struct{}

func (system) Start(ctx context.Context, c Command) (Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for the output: %w", err)
	}
	defer in.Close() // the command has its own
	p := &process{out: out, done: make(chan struct{}), given: make(chan struct{})}
	mark := markName + "=" + rand.Text()
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env = c.Dir, append(c.Env[:len(c.Env):len(c.Env)], mark)
	cmd.Stdout, cmd.Stderr = in, in
	cmd.SysProcAttr = ownSession()
	if p.tree, err = plant(cmd, mark); err != nil {
		out.Close()
		return nil, err
	}
	p.pid = cmd.Process.Pid
	go func() { // ends with the command; Kill ends that, or says that it cannot
		_ = cmd.Wait() // an error repeats what the state says
		p.exit = exit(cmd.ProcessState)
		close(p.done)
	}()
	return p, nil
}

type process struct {
	pid   int
	out   *os.File
	tree  *tree
	exit  Exit          // once done is closed
	done  chan struct{} // the command has ended
	given chan struct{} // the command was given up
}

func (p *process) PID() int              { return p.pid }
func (p *process) Output() io.ReadCloser { return p.out }

func (p *process) Wait() Exit {
	select {
	case <-p.done:
		return p.exit
	case <-p.given:
		return Exit{Code: -1}
	}
}

func (p *process) Kill(grace time.Duration) (ended, left []int) {
	defer p.endOutput()
	ended = p.tree.living()
	select {
	case <-p.done: // what has closed its output may be about to end as well
		ended = p.waitFor(10 * lookAgain)
	default:
	}
	p.tree.signal(ended, false)
	left = p.waitFor(grace)
	for until := time.Now().Add(giveUp); len(left) > 0 && time.Now().Before(until); left = p.waitFor(lookAgain) {
		p.tree.signal(left, true)
	}
	if slices.Contains(left, p.pid) {
		close(p.given)
		go func() { // ends with the command, which only another user can end
			<-p.done
			p.tree.close()
		}()
		return without(ended, left), left
	}
	<-p.done
	p.tree.close()
	return without(ended, left), left
}

// waitFor waits until nothing runs any more, at most so long, and says what
// still does.
func (p *process) waitFor(most time.Duration) []int {
	for until := time.Now().Add(most); ; time.Sleep(lookAgain) {
		if left := p.tree.living(); len(left) == 0 || !time.Now().Before(until) {
			return left
		}
	}
}

// endOutput ends the output even if a process that was given up holds it.
func (p *process) endOutput() {
	if err := p.out.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		p.out.Close() // where pipes have no deadlines
	}
}

// without is all but the members of less.
func without(all, less []int) []int {
	var l []int
	for _, n := range all {
		if !slices.Contains(less, n) {
			l = append(l, n)
		}
	}
	return l
}
