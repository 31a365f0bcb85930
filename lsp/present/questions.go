package present

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"slices"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/lsp/client"
)

// asked is a question that waits for an answer.
type asked struct {
	q       view.Question
	options []frontend.Option
	answer  chan frontend.Answer // has room for one
}

// Ask shows a question in the views of its session and of the window, until it is answered
// or ctx ends.
func (v *Views) Ask(ctx context.Context, q frontend.Question) (frontend.Answer, error) {
	at := view.Asked{ID: "ask-" + rand.Text(), Encoding: v.c.Can.Encoding, Plan: planOf(q)}
	if h := v.c.Host.Current(); h != nil {
		if ses, err := h.Agent.Session(ctx, q.SessionID); err == nil {
			at.Folders = ses.State.Work
		}
	}
	a := &asked{q: view.Permission(q, at), options: q.Options, answer: make(chan frontend.Answer, 1)}
	v.mu.Lock()
	v.asks = append(v.asks, a)
	v.mu.Unlock()
	v.c.Touch()
	defer func() {
		v.mu.Lock()
		v.asks = slices.DeleteFunc(v.asks, func(o *asked) bool { return o == a })
		v.mu.Unlock()
		v.c.Touch()
	}()
	select {
	case answer := <-a.answer:
		return answer, nil
	case <-ctx.Done():
		return frontend.Answer{}, context.Cause(ctx)
	}
}

// mostPlan is the size in bytes up to which a plan is shown with its question; a longer one
// is opened in the editor.
const mostPlan = 512 << 10

// planOf returns the text of the plan that a question is about; empty without one, or where it
// cannot be read: the question has its place.
func planOf(q frontend.Question) string {
	path := q.Preview.PlanURI.Path()
	if path == "" {
		return ""
	}
	if info, err := os.Stat(path); err != nil || info.Size() > mostPlan {
		return ""
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(text)
}

// questions returns the open questions of a session, or of all; the oldest first.
func (v *Views) questions(sessionID string) []view.Question {
	v.mu.Lock()
	defer v.mu.Unlock()
	l := []view.Question{}
	for _, a := range v.asks {
		if sessionID == "" || a.q.SessionID == sessionID {
			l = append(l, a.q)
		}
	}
	return l
}

// questionChanges returns what a view lacks of the open questions, and what it has that are
// not open any more. o.mu is held.
func (o *opened) questionChanges(open []view.Question) (l []view.Change) {
	var gone []string
	for id := range o.asks {
		if !slices.ContainsFunc(open, func(q view.Question) bool { return q.ID == id }) {
			gone = append(gone, id)
			delete(o.asks, id)
		}
	}
	if len(gone) > 0 {
		slices.Sort(gone)
		l = append(l, view.Change{Drop: gone})
	}
	for _, q := range open {
		if _, known := o.asks[q.ID]; !known {
			o.asks[q.ID] = o.version + 1
			l = append(l, view.Change{Question: &q})
		}
	}
	return l
}

// hasQuestions reports whether a view has exactly the open questions. o.mu is held.
func (o *opened) hasQuestions(open []view.Question) bool {
	return len(open) == len(o.asks) && !slices.ContainsFunc(open, func(q view.Question) bool { _, known := o.asks[q.ID]; return !known })
}

// errAnswered is returned when a question is not open any more.
var errAnswered = errors.New("the question was answered already, or withdrawn")

// answerTo answers a question that the client has shown, by one of its options.
func (a *asked) answerTo(p actParams) error {
	answer := frontend.Answer{OptionID: p.ActionID, Feedback: p.Text}
	if p.ActionID == view.RejectWhy {
		i := slices.IndexFunc(a.options, func(o frontend.Option) bool { return o.Kind == frontend.RejectOnce })
		answer.OptionID = a.options[i].ID
		if why := p.Values["reason"]; len(why) > 0 {
			answer.Feedback = why[0]
		}
	}
	if !slices.ContainsFunc(a.q.Options, func(o view.Action) bool { return o.ID == p.ActionID }) {
		return client.Invalid("the question %s has no option %s", p.ID, p.ActionID)
	}
	select {
	case a.answer <- answer:
		return nil
	default:
		return client.Invalid("%v", errAnswered)
	}
}
