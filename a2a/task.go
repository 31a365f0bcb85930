package a2a

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/state"
)

// task is a turn that runs for a client. Its turn posts what happens; the request
// that follows the task takes the posts. Between two requests, while the client
// has to answer, nobody follows it.
type task struct {
	info   a2a.TaskInfo
	ctx    context.Context // of the turn
	cancel context.CancelCauseFunc
	posts  chan any                // events of the session, and *asked
	begun  map[a2a.ArtifactID]bool // see writer; used by the request that follows the task

	ended  chan struct{} // closed when result and err are set
	result state.Ended
	err    error

	mu       sync.Mutex
	followed bool   // a request follows it
	pending  *asked // what the client has to answer
}

// asked is a question with the place for its answer.
type asked struct {
	question
	answered chan answer
	gone     <-chan struct{} // closed when the question is withdrawn
}

// answer of a client. The field for the question's type is set.
type answer struct {
	permission frontend.Answer
	elicited   frontend.Elicited
}

// answerPatience is how long a task waits for the answer to a question.
const answerPatience = 24 * time.Hour

var errUnanswered = fmt.Errorf("the client has not answered for %v", answerPatience)

// publish hands something to the request that follows the task, and waits until one
// does. It is lost when the task is canceled.
func (t *task) publish(what any) {
	select {
	case t.posts <- what:
	case <-t.ctx.Done():
	}
}

// ask puts a question to the client and waits for the answer.
func (t *task) ask(ctx context.Context, q question) (answer, error) {
	a := &asked{question: q, answered: make(chan answer, 1), gone: ctx.Done()}
	select {
	case t.posts <- a:
	case <-ctx.Done():
		return answer{}, context.Cause(ctx)
	case <-t.ctx.Done():
		return answer{}, context.Cause(t.ctx)
	}
	late := time.NewTimer(answerPatience)
	defer late.Stop()
	select {
	case said := <-a.answered:
		return said, nil
	case <-late.C: // a client that is gone must not occupy a task for ever
		t.cancel(errUnanswered)
		return answer{}, errUnanswered
	case <-ctx.Done():
		return answer{}, context.Cause(ctx)
	case <-t.ctx.Done():
		return answer{}, context.Cause(t.ctx)
	}
}

func (t *task) end(result state.Ended, err error) {
	t.result, t.err = result, err
	close(t.ended)
}

// follow makes the caller the request that follows the task. It returns the
// question that its message has to answer; nil for none.
func (t *task) follow() *asked {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.followed = true
	a := t.pending
	t.pending = nil
	return a
}

// leave ends following the task, which waits for an answer to a. It reports false
// when the task was canceled: then its end has to be followed.
func (t *task) leave(a *asked) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil {
		return false
	}
	t.followed, t.pending = false, a
	return true
}

// stop cancels the task, and reports whether a request follows it, which will
// report its end.
func (t *task) stop(why error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cancel(why)
	return t.followed
}
