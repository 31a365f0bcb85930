package gate

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// Permission is the gate's answer to a call.
type Permission struct {
	Refusal *tools.Result       // the result of a call that may not run; nil: it may run
	Rule    string              // the rule that denied it
	Answer  frontend.OptionKind // the user's; empty: the user was not asked
	Outside bool                // the command may run outside the sandbox
	Unasked bool                // nobody allowed the command; it runs because the sandbox holds it
	// Verbatim: the command runs as it was given, and not in its canonical form.
	Verbatim bool
	Opens    tools.Access // what the user let the command reach
	Stop     bool         // the user rejected every call of the response
}

// Permit decides about a call that is not an edit, and asks the user if needed, once what it
// waits for is decided.
// Concurrent calls with the same question ask once: a refusal answers all of them,
// a permission only one.
func (t *Turn) Permit(ctx context.Context, c Call) Permission {
	for reviewed, waited := t.o.Review == nil, false; ; {
		v := t.Decide(c)
		if !reviewed && v.Kind != Deny {
			reviewed = true
			if refusal := t.o.Review(ctx, c); refusal != nil {
				return refuse(*refusal)
			}
			continue // the user has taken their time
		}
		switch v.Kind {
		case Allow:
			t.tellOfRequest(c, v)
			return Permission{Unasked: v.unasked, Outside: v.outside, Verbatim: v.verbatim}
		case Ask:
		case Deny, Review:
			refusal := v.Refusal()
			return Permission{Refusal: &refusal, Rule: v.Rule}
		}
		if !waited {
			waited = true
			t.awaitApproval(c)
		}
		key := questionKey(c)
		q, mine := t.gate.questions.join(key)
		if mine {
			defer t.gate.questions.leave(key)
			p := t.askOnce(ctx, c, v, key)
			if ctx.Err() == nil {
				q.refusal = p.Refusal
			}
			return p
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

// askOnce asks about a call, unless the user has already refused the same one.
func (t *Turn) askOnce(ctx context.Context, c Call, v Verdict, key string) Permission {
	if t.wasRefused(key) {
		return refuse(tools.Result{Err: tools.Errorf(tools.PolicyViolation, "The user has already refused exactly this call, so it was not asked about again. Continue another way, or say in your answer why it is needed.")})
	}
	p := t.askAbout(ctx, c, v)
	p.Outside, p.Verbatim, p.Opens = v.outside, v.verbatim, v.opens
	if e, runs := c.Effect.(tools.Runs); runs && p.Answer == frontend.AllowAlways && !v.opens.IsZero() {
		t.gate.open(policy.LineOf(e), v.opens)
	}
	if p.Refusal != nil && ctx.Err() == nil { // a permission is for this call only
		t.mu.Lock()
		t.refused = append(t.refused, key)
		t.mu.Unlock()
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

// questions holds the open questions, of the type *openQuestion, by what they are about.
type questions struct{ open sync.Map }

type openQuestion struct {
	answered chan struct{}
	refusal  *tools.Result // set before answered is closed; nil: the call was allowed
}

// join returns the open question with that key. If it is new, mine is true, and the
// caller asks it and then calls leave.
func (q *questions) join(key any) (o *openQuestion, mine bool) {
	open, was := q.open.LoadOrStore(key, &openQuestion{answered: make(chan struct{})})
	return open.(*openQuestion), !was
}

func (q *questions) leave(key any) {
	if open, was := q.open.LoadAndDelete(key); was {
		close(open.(*openQuestion).answered)
	}
}

// questionKey returns a key that calls share if one question can stand for them:
// the effect, and also the tool and arguments where the effect does not describe
// the whole call.
func questionKey(c Call) string {
	key := fmt.Sprintf("%T %+v", c.Effect, c.Effect)
	if tools.TraitsOf(c.Effect).Complete {
		return key
	}
	return key + " " + c.Info.Name + " " + string(c.Info.Args)
}
