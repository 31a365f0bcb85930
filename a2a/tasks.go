package a2a

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// Tasks are the running tasks of a server. They are the [frontend.Client] of its
// agent.
type Tasks struct {
	options Options

	mu        sync.Mutex
	closed    bool
	byID      map[a2a.TaskID]*task
	bySession map[string]*task
	running   sync.WaitGroup
}

// NewTasks returns no tasks yet. They run once [Serve] is called.
func NewTasks() *Tasks {
	return &Tasks{byID: map[a2a.TaskID]*task{}, bySession: map[string]*task{}}
}

var (
	_ frontend.Client   = (*Tasks)(nil)
	_ frontend.Elicitor = (*Tasks)(nil)
)

// Abilities implements [frontend.Client]. Nobody reviews hunks, so an edit is a
// question with its diff.
func (*Tasks) Abilities() frontend.Abilities { return frontend.Abilities{Asks: true} }

// Show implements [frontend.Client].
func (ts *Tasks) Show(_ context.Context, u transcript.Update) error {
	if t := ts.taskOf(u.SessionID); t != nil && !u.Replay {
		t.publish(u.Event)
	}
	return nil
}

// Ask implements [frontend.Client].
func (ts *Tasks) Ask(ctx context.Context, q frontend.Question) (frontend.Answer, error) {
	a, err := ts.ask(ctx, q.SessionID, newApproval(q))
	return a.permission, err
}

// Elicit implements [frontend.Elicitor].
func (ts *Tasks) Elicit(ctx context.Context, e frontend.Elicitation) (frontend.Elicited, error) {
	a, err := ts.ask(ctx, e.SessionID, elicitation{e})
	return a.elicited, err
}

// ask puts a question to the client of the task that runs in a session.
func (ts *Tasks) ask(ctx context.Context, session string, q question) (answer, error) {
	t := ts.taskOf(session)
	if t == nil {
		return answer{}, errors.New("the task has ended")
	}
	return t.ask(ctx, q)
}

func (ts *Tasks) taskOf(session string) *task {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.bySession[session]
}

// known returns the running task with that ID, or nil.
func (ts *Tasks) known(id a2a.TaskID) *task {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.byID[id]
}

func (ts *Tasks) serve(o Options) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.options = o
}

// errBusy means that the context has a running task.
var errBusy = errors.New("another task of this context is running: wait for its end, cancel it, or use another context")

// start starts a task with a prompt, in the session of its context. The caller
// follows it.
func (ts *Tasks) start(info a2a.TaskInfo, blocks []transcript.Block) (*task, error) {
	if !transcript.ValidID(info.ContextID) {
		return nil, fmt.Errorf("invalid context ID %q: want 1-64 letters, digits, '-' or '_'", info.ContextID)
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	switch most := ts.options.MaxTasks; {
	case ts.closed:
		return nil, errors.New("the server is ending")
	case ts.bySession[info.ContextID] != nil:
		return nil, errBusy
	case len(ts.byID) >= most:
		return nil, fmt.Errorf("this server runs at most %d tasks at a time: try again when one has ended", most)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	t := &task{info: info, ctx: ctx, cancel: cancel, posts: make(chan any), begun: map[a2a.ArtifactID]bool{}, ended: make(chan struct{}), followed: true}
	ts.byID[info.TaskID], ts.bySession[info.ContextID] = t, t
	ts.running.Go(func() {
		defer cancel(nil)
		end, err := ts.run(t, blocks)
		ts.mu.Lock()
		delete(ts.byID, info.TaskID)
		delete(ts.bySession, info.ContextID)
		ts.mu.Unlock()
		t.end(end, err)
	})
	return t, nil
}

// run runs the turn of a task.
func (ts *Tasks) run(t *task, blocks []transcript.Block) (state.Ended, error) {
	o := ts.options
	s, err := ts.session(t.ctx, t.info.ContextID)
	if err != nil {
		return state.Ended{}, err
	}
	end, err := s.Prompt(t.ctx, state.Prompt{Blocks: blocks, Relayed: true})
	if e := o.Agent.Release(context.WithoutCancel(t.ctx), s.ID()); e != nil {
		o.Log.Warn("close the session of a task", "session", s.ID(), "err", e)
	}
	return end, err
}

// session returns the session of a context, and creates it for the first task.
func (ts *Tasks) session(ctx context.Context, id string) (*agent.Session, error) {
	o := ts.options
	s, err := o.Agent.Session(ctx, id)
	switch {
	case errors.Is(err, transcript.ErrUnknownSession):
		return o.Agent.Create(ctx, agent.NewSession{ID: id, Cwd: o.Cwd, Roots: o.Roots, Mode: o.Mode})
	case err != nil:
		return nil, err
	case s.Info().Cwd != o.Cwd || !slices.Equal(s.Info().Roots, o.Roots):
		return nil, fmt.Errorf("the context %s belongs to other folders than this server: use another context", id)
	}
	if mode := cmp.Or(o.Mode, policy.Mode(o.Agent.Process.Settings().General.DefaultApprovalMode)); mode != s.Info().Mode { // the one who starts the server decides
		if err := s.SetMode(mode); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// close cancels all tasks and waits for their ends.
func (ts *Tasks) close() {
	ts.mu.Lock()
	ts.closed = true
	for _, t := range ts.byID {
		t.cancel(errors.New("the server ended"))
	}
	ts.mu.Unlock()
	ts.running.Wait()
}
