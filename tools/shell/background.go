package shell

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/terminal"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// defaultDelay is how long a background command is watched before its call
// returns.
const defaultDelay = 200 * time.Millisecond

// maxJobOutput limits how much of a job's output the model gets, in bytes.
const maxJobOutput = 64 << 10

// maxRecent limits how much of a job's output is kept as it was written, in bytes.
const maxRecent = 128 << 10

// A job is a background command: it keeps running after its call. It has no
// time limit; it ends by itself, by [job.End], or with its session.
type job struct {
	pid      int
	command  string
	conf     confinement
	output   *terminal.Transcript
	written  *terminal.Recent
	log      *logFile
	end      context.CancelFunc
	over     chan struct{}
	returned chan struct{} // closed when the call has returned; after that only the end of the output is kept
	outcome  outcome       // valid once over is closed, as made is
	created  string        // files that the user should look at; empty for none
	met      *tools.Met    // valid once over is closed
	told     atomic.Bool   // met was returned
}

var _ tools.Job = (*job)(nil)

// A rerun runs a command from its start, with more access.
type rerun func(tools.Access) func(context.Context, func(tools.Progress)) tools.Result

// newJob follows a process until it ends.
func newJob(p sandbox.Process, conf confinement, command string, grace time.Duration, log *logFile, again rerun) *job {
	ctx, end := context.WithCancel(context.Background()) // it outlives the call and the turn
	j := &job{pid: p.PID(), command: command, conf: conf, output: transcript(), written: terminal.NewRecent(maxRecent), log: log, end: end, over: make(chan struct{}), returned: make(chan struct{})}
	j.output.Done = log.add
	began := time.Now()
	go func() { // ends with the process and the call; End, which is called at the session's end, waits for it
		defer end()
		w := watch{grace: grace, output: j.output, written: j.written, env: conf.env, growth: conf.growth}
		j.outcome = w.follow(ctx, p)
		j.outcome.took = time.Since(began)
		j.log.close()
		j.created = conf.describeCreated()
		if j.met = conf.metWall(j.outcome); j.met != nil {
			j.met.Again = again
		}
		close(j.over)
		j.written.End() // after that, so that readers of the end know the state
		<-j.returned
		j.output.Shrink(maxJobOutput)
	}()
	return j
}

func (j *job) PID() int                { return j.pid }
func (j *job) Command() string         { return j.command }
func (j *job) Origin() tools.Origin    { return j.conf.origin() }
func (j *job) Over() <-chan struct{}   { return j.over }
func (j *job) Log() string             { return j.log.name() }
func (j *job) Output(lines int) string { return j.output.Tail(lines, maxJobOutput) }
func (j *job) End()                    { j.end(); <-j.over }

// Written implements [tools.Job].
func (j *job) Written(ctx context.Context, at int64) (b []byte, next int64, err error) {
	return j.written.From(ctx, at)
}

// Made implements [tools.Job].
func (j *job) Made() string {
	if !j.isOver() {
		return ""
	}
	return strings.TrimPrefix(j.created, "; ")
}

// Met implements [tools.Job].
func (j *job) Met() *tools.Met {
	if !j.isOver() || j.told.Swap(true) {
		return nil
	}
	return j.met
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
		return "running" + j.conf.movedSoFar()
	}
	if j.outcome.ending == cancelled {
		return "was ended" + j.created
	}
	return describeEnding(j.outcome) + j.created
}

// background starts a command, watches it for a moment, and adds it to the
// session's jobs.
func (t *tool) background(ctx context.Context, env tools.Env, r tools.Runs, wider tools.Access, delay time.Duration, again rerun, live func(tools.Progress)) tools.Result {
	p, conf, err := t.start(ctx, env, r, wider)
	if err != nil {
		return tools.Result{Err: err}
	}
	live(tools.Progress{PID: p.PID()})
	j := newJob(p, conf, r.Command, t.Grace, newLogFile(env, p.PID()), again)
	defer close(j.returned)
	watched := time.NewTimer(delay)
	defer watched.Stop()
	select {
	case <-watched.C:
	case <-j.over:
	case <-ctx.Done():
		j.End()
	}
	if j.isOver() {
		return conf.annotate(t.result(j.outcome, env, r), j.outcome)
	}
	if err := env.Jobs.Add(j); err != nil {
		j.End()
		return tools.Result{Output: "The command was killed." + conf.describeMoved(conf.moveAside()), Err: tools.Errorf(tools.ShellFailure, "the command cannot run in the background: %v", err)}
	}
	aside := conf.describeMoved(conf.moveAside()) // that of the watch is named when the output is read
	output := j.Output(maxLines)
	var b strings.Builder
	fmt.Fprintf(&b, "The command is running in the background as process %d. Read its output with %s, end it with %s. It ends with the session at the latest.\n", j.pid, readName, killName)
	if r.Dir != env.Dir {
		fmt.Fprintf(&b, "Directory: %s\n", tools.UntrustedLine(r.Dir))
	}
	fmt.Fprintf(&b, "Output after %v:%s\n", delay, forModel(output))
	fmt.Fprintf(&b, "Background PIDs: %d", j.pid)
	if name := j.Log(); name != "" {
		fmt.Fprintf(&b, "\nOlder output is kept in %s.", name)
	}
	b.WriteString(aside)
	return tools.Result{
		Output: b.String(), Display: visible.Block("", output), Origin: j.Origin(),
		Summary: fmt.Sprintf("running in the background as process %d", j.pid), PID: j.pid,
	}
}

// forModel formats output for the model, after a colon.
func forModel(output string) string {
	if output == "" {
		return " (empty)"
	}
	return "\n" + tools.EncloseUntrusted(output)
}

// find returns the job with a PID.
func find(env tools.Env, pid int) (tools.Job, error) {
	if env.Jobs != nil {
		if j := env.Jobs.Find(pid); j != nil {
			return j, nil
		}
	}
	return nil, tools.Errorf(tools.InvalidParams, "no background command of this session has PID %d; %s lists those it has. Background commands end when emendo exits", pid, listName)
}

// stateOf describes a job in one line.
func stateOf(j tools.Job) string {
	return fmt.Sprintf("[PID %d] %s: `%s`", j.PID(), cmp.Or(j.State(), "running"), oneLine(j.Command(), 160))
}
