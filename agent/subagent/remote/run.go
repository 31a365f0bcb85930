package remote

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/emendo-dev/emendo/agent/stopwatch"
	"github.com/emendo-dev/emendo/tools"
)

// Limits of a task.
const (
	maxRounds  = 50              // questions of one task
	pollTime   = time.Second     // between two requests for a task whose stream has ended
	maxMissed  = 3               // of these requests may fail in a row
	cancelTime = 2 * time.Second // for the cancellation of a task
)

// A Host is the session that hands over a task.
type Host struct {
	Options

	// Ask puts a question to the user and waits. It returns the zero value if no user
	// answers.
	Ask func(ctx context.Context, q Question) Answer
	// Show shows what the agent does, instead of what was shown before.
	Show func(progress string)
	// Contexts are the session's conversations with agents.
	Contexts *Contexts
}

// Contexts are the conversations that a session has with agents, so that an agent
// remembers earlier tasks. The zero value has none.
type Contexts struct{ ids sync.Map } // by the agent's card

// remove returns the ID of the conversation with an agent and removes it: tasks that
// run side by side have their own. It returns an empty ID if there is none.
func (c *Contexts) remove(card string) string {
	id, _ := c.ids.LoadAndDelete(card)
	s, _ := id.(string)
	return s
}

// A Report is how a task ended. Its text is the agent's own.
type Report struct {
	State string // in the words of the protocol; empty: not known
	Text  string
}

// run is a task at work.
type run struct {
	Host
	*link
	answer
}

// Run hands a task to the agent and follows it to its end. The error is why it did
// not end by itself; the report then has what the agent said until then. A task that
// is given up is canceled.
func (a Agent) Run(ctx context.Context, task string, h Host) (Report, error) {
	watch := stopwatch.Start(ctx, a.Timeout)
	defer watch.Stop()
	r := &run{Host: h}
	err := r.follow(watch, a, task)
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case watch.Over():
		err = fmt.Errorf("it reached its time limit of %v", a.Timeout)
	case err != nil:
		err = errors.New(reason(err))
	}
	if r.link != nil {
		if err != nil {
			r.cancel(ctx)
		}
		r.close()
	}
	return Report{State: string(r.state), Text: r.text()}, err
}

// follow sends the task, and answers to what the agent asks.
func (r *run) follow(watch *stopwatch.Stopwatch, a Agent, task string) error {
	ctx := watch.Context
	var err error
	if r.link, err = a.open(ctx, r.Options); err != nil {
		return err
	}
	m := a2a.NewMessage(a2a.MessageRoleUser, a2a.TextPart{Text: task})
	m.ContextID = r.Contexts.remove(a.Card)
	for range maxRounds {
		if err := r.send(ctx, m); err != nil {
			return err
		}
		if r.state == a2a.TaskStateAuthRequired {
			return errors.New("it wants the user to sign in, which is not supported: " + a.question(r.status).Text)
		}
		if r.state != a2a.TaskStateInputRequired {
			if r.info.ContextID != "" {
				r.Contexts.ids.Store(a.Card, r.info.ContextID)
			}
			return nil
		}
		q := a.question(r.status)
		resume := watch.Pause()
		said := r.Ask(ctx, q)
		resume()
		if err := ctx.Err(); err != nil {
			return err
		}
		part, ok := q.reply(said)
		if !ok {
			return errors.New("it asked something that was not answered; put the answer into the task: " + q.Text)
		}
		m = a2a.NewMessage(a2a.MessageRoleUser, part)
		m.TaskID, m.ContextID = r.info.TaskID, r.info.ContextID
	}
	return fmt.Errorf("it asked more than %d times", maxRounds)
}

// send sends a message and follows the task until it ends or asks.
func (r *run) send(ctx context.Context, m *a2a.Message) error {
	r.state = a2a.TaskStateUnspecified
	began := false
	for e, err := range r.client.SendStreamingMessage(ctx, &a2a.MessageSendParams{Message: m}) {
		switch {
		case err != nil && (!began || r.info.TaskID == ""):
			return err
		case err != nil:
			return r.pollTask(ctx, err)
		}
		began = true
		r.apply(e)
		r.Show(r.progress())
		if r.ended() {
			return nil
		}
	}
	if r.info.TaskID == "" {
		return errors.New("it answered with neither a task nor a message")
	}
	return r.pollTask(ctx, nil)
}

// pollTask asks for the task until it ends or asks. That is needed where a stream broke,
// where an event was too large for the client library, which reads 64 KiB, and where
// an agent has no streams. broke is the error of the stream; nil if it just ended.
func (r *run) pollTask(ctx context.Context, broke error) error {
	tick := time.NewTicker(pollTime)
	defer tick.Stop()
	for missed := 0; ; {
		t, err := r.client.GetTask(ctx, &a2a.TaskQueryParams{ID: r.info.TaskID})
		switch {
		case err == nil:
			missed = 0
			r.apply(t)
			r.Show(r.progress())
			if r.ended() {
				return nil
			}
		case ctx.Err() != nil:
			return ctx.Err()
		default:
			if missed++; missed == maxMissed {
				return errors.Join(broke, err)
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// cancel cancels the task, as far as the agent can still be reached.
func (r *run) cancel(ctx context.Context) {
	if r.info.TaskID == "" || r.state.Terminal() {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer stop()
	_, _ = r.client.CancelTask(ctx, &a2a.TaskIDParams{ID: r.info.TaskID}) // nothing depends on it
}

// Place describes where the agent is, for people.
func (a Agent) Place() string { return tools.ShownLine(a.Card, 300) }
