package shell

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/terminal"
	"github.com/emendo-dev/emendo/tools"
)

// usualDelay is how long a command in the background is watched before its call
// ends.
const usualDelay = 200 * time.Millisecond

// maxTold is how much of a job's output the model is given, in bytes.
const maxTold = 64 << 10

// A job is a command that goes on when its call has ended. It is bound by no
// time: it ends by itself, by [job.End], or with its session.
type job struct {
	pid     int
	command string
	origin  tools.Origin
	output  *terminal.Transcript
	log     *logFile
	end     context.CancelFunc
	over    chan struct{}
	told    chan struct{} // closed when the call has ended: from then on only the end of the output is kept
	outcome outcome       // once over is closed, as made is
	made    string        // what the user should look at; empty for nothing
}

var _ tools.Job = (*job)(nil)

// newJob follows a process on its own.
func newJob(p sandbox.Process, held held, command string, columns int, grace time.Duration, log *logFile) *job {
	ctx, end := context.WithCancel(context.Background()) // it outlives the call, the turn too
	j := &job{pid: p.PID(), command: command, origin: held.origin, output: terminal.NewTranscript(columns), log: log, end: end, over: make(chan struct{}), told: make(chan struct{})}
	j.output.Done = log.add
	began := time.Now()
	go func() { // ends with the process and the call; End, which the session's end calls, waits for the process
		defer end()
		w := watch{grace: grace, output: j.output}
		j.outcome = w.follow(ctx, p)
		j.outcome.took = time.Since(began)
		j.log.close()
		j.made = held.made()
		close(j.over)
		<-j.told
		j.output.Shrink(maxTold)
	}()
	return j
}

func (j *job) PID() int                { return j.pid }
func (j *job) Command() string         { return j.command }
func (j *job) Origin() tools.Origin    { return j.origin }
func (j *job) Over() <-chan struct{}   { return j.over }
func (j *job) Log() string             { return j.log.name() }
func (j *job) Output(lines int) string { return j.output.Tail(lines, maxTold) }
func (j *job) End()                    { j.end(); <-j.over }

// Made implements [tools.Job].
func (j *job) Made() string {
	if !j.isOver() {
		return ""
	}
	return strings.TrimPrefix(j.made, "; ")
}

func (j *job) isOver() bool {
	select {
	case <-j.over:
		return true
	default:
		return false
	}
}

func (j *job) State() string {
	if !j.isOver() {
		return "running"
	}
	if j.outcome.ending == cancelled {
		return "was ended" + j.made
	}
	return how(j.outcome) + j.made
}

// background starts a command, watches how it begins, and leaves it to the
// session.
func (t *tool) background(ctx context.Context, env tools.Env, r tools.Runs, wider tools.Access, delay time.Duration, live func(tools.Progress)) tools.Result {
	p, held, err := t.start(ctx, env, r, wider)
	if err != nil {
		return tools.Result{Err: err}
	}
	live(tools.Progress{PID: p.PID()})
	j := newJob(p, held, r.Command, t.columns(), t.Grace, newLogFile(env, p.PID()))
	defer close(j.told)
	watched := time.NewTimer(delay)
	defer watched.Stop()
	select {
	case <-watched.C:
	case <-j.over:
	case <-ctx.Done():
		j.End()
	}
	if j.isOver() {
		return held.told(t.result(j.outcome, env, r), j.outcome)
	}
	if err := env.Jobs.Add(j); err != nil {
		j.End()
		return tools.Result{Output: "It was ended." + held.aside(), Err: tools.Errorf(tools.ShellFailure, "the command does not go on: %v", err)}
	}
	aside := held.aside()
	output := j.Output(maxLines)
	var b strings.Builder
	fmt.Fprintf(&b, "The command goes on in the background as process %d. %s reads what it prints, %s ends it; it ends with the session at the latest.\n", j.pid, readName, killName)
	if r.Dir != env.Dir {
		fmt.Fprintf(&b, "Directory: %s\n", stated(r.Dir))
	}
	fmt.Fprintf(&b, "Output after %v:%s\n", delay, told(output))
	fmt.Fprintf(&b, "Background PIDs: %d", j.pid)
	if name := j.Log(); name != "" {
		fmt.Fprintf(&b, "\nWhat is printed long ago by then can be read in %s.", name)
	}
	b.WriteString(aside)
	return tools.Result{
		Output: b.String(), Display: fenced(output), Origin: j.origin,
		Summary: fmt.Sprintf("goes on in the background as process %d", j.pid),
	}
}

// told is output as the model reads it, behind a colon.
func told(output string) string {
	if output == "" {
		return " (empty)"
	}
	return "\n" + untrusted(output)
}

// find is the job of a call's pid.
func find(env tools.Env, pid int) (tools.Job, error) {
	if env.Jobs != nil {
		if j := env.Jobs.Find(pid); j != nil {
			return j, nil
		}
	}
	return nil, tools.Errorf(tools.InvalidParams, "this session has no command with the PID %d in the background, or has it no more: %s shows those that there are; what ran when emendo was last closed has ended with it", pid, listName)
}

// stateOf is a job in one line.
func stateOf(j tools.Job) string {
	return fmt.Sprintf("[PID %d] %s: `%s`", j.PID(), cmp.Or(j.State(), "running"), oneLine(j.Command(), 160))
}
