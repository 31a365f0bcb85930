package gate

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// Permission is what became of a call at the gate.
type Permission struct {
	Refusal *tools.Result       // what the model reads of a call that may not run; nil: it may
	Rule    string              // that denied it
	Answer  frontend.OptionKind // of the user; empty: the user was not asked
	Outside bool                // a command may run outside the sandbox
	Stop    bool                // the user rejected it and every call made with it
}

// Permit takes a call that is not an edit through the gate. When several calls
// wait for the answer to the same question, the user is asked once: a refusal
// answers all of them, a permission only the one.
func (t *Turn) Permit(ctx context.Context, c Call) Permission {
	for waited := false; ; {
		v := t.Decide(c)
		switch v.Kind {
		case Allow:
			return Permission{}
		case Ask:
		case Deny, Review:
			refusal := v.Refusal()
			return Permission{Refusal: &refusal, Rule: v.Rule}
		}
		if !waited {
			waited = true
			t.awaitApproval(c)
		}
		q, mine := t.gate.questions.join(questionKey(c))
		if mine {
			defer t.gate.questions.leave(q)
			return t.askOnce(ctx, c, v, q)
		}
		select {
		case <-q.answered:
		case <-ctx.Done():
			return refuse(tools.CancelledResult(""))
		}
		if q.refusal != nil {
			return refuse(*q.refusal)
		}
	}
}

// askOnce asks about a call, unless the user has refused the same before.
func (t *Turn) askOnce(ctx context.Context, c Call, v Verdict, q *openQuestion) Permission {
	if t.wasRefused(q.key) {
		return refuse(tools.Result{Err: tools.Errorf(tools.PolicyViolation, "The user has already refused exactly this and has said nothing since, so it is not asked again. Continue another way, or say in your answer why it is needed.")})
	}
	p := t.askAbout(ctx, c, v)
	p.Outside = v.outside
	if p.Refusal != nil && ctx.Err() == nil { // else it says nothing about the others
		t.mu.Lock()
		t.refused = append(t.refused, q.key)
		t.mu.Unlock()
		q.refusal = p.Refusal
	}
	return p
}

func (t *Turn) wasRefused(key string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Contains(t.refused, key)
}

func (t *Turn) awaitApproval(c Call) {
	t.o.Emit(transcript.ToolUpdate{CallID: c.Info.CallID, Title: c.Info.Title, Locations: c.Info.Locations, State: transcript.AwaitingApproval})
}

func refuse(r tools.Result) Permission { return Permission{Refusal: &r} }

// questions are those that the user was asked and has not answered, by key.
type questions struct {
	mu   sync.Mutex
	open map[string]*openQuestion
}

type openQuestion struct {
	key      string
	answered chan struct{}
	refusal  *tools.Result // once answered; nil: the call was allowed
}

// questionKey is the same for calls that the same question is asked about: those
// with the same effect, and with the same tool and arguments where the effect
// does not describe the whole call.
func questionKey(c Call) string {
	key := fmt.Sprintf("%T %+v", c.Effect, c.Effect)
	switch e := c.Effect.(type) {
	case tools.Reads:
		if len(e.Paths) > 0 {
			return key
		}
	case tools.Runs, tools.Ends, tools.Presents, tools.Remembers, tools.Edits:
		return key
	case nil, tools.Notes, tools.Asks, tools.Plans, tools.Sends, tools.Calls, tools.Samples:
	}
	return key + " " + c.Info.Name + " " + string(c.Info.Args)
}

// join returns the open question with that key. With mine it is new; the caller
// asks it and then leaves it.
func (q *questions) join(key string) (o *openQuestion, mine bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if o := q.open[key]; o != nil {
		return o, false
	}
	if q.open == nil {
		q.open = map[string]*openQuestion{}
	}
	o = &openQuestion{key: key, answered: make(chan struct{})}
	q.open[key] = o
	return o, true
}

func (q *questions) leave(o *openQuestion) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.open, o.key)
	close(o.answered)
}
