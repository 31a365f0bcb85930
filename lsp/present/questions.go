package present

import (
	"cmp"
	"context"
	"crypto/rand"
	"os"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/lsp/client"
)

// asked is a question that waits for an answer.
type asked struct {
	q   view.Question
	own bool // emendo asks it by itself, before it does something
	// answer does what the option with an ID says. If that has problems the question stays open.
	answer func(ctx context.Context, p actParams) (acted, error)
}

// openQuestions are the questions of all sessions that wait for an answer.
type openQuestions struct {
	client *client.Client // is touched when they have changed

	mu  sync.Mutex
	all []*asked // the oldest first
}

func (l *openQuestions) add(a *asked) {
	l.mu.Lock()
	l.all = append(l.all, a)
	l.mu.Unlock()
	l.client.Touch()
}

// remove removes a question. It reports whether it was open.
func (l *openQuestions) remove(a *asked) bool {
	return l.removeIf(func(o *asked) bool { return o == a })
}

// removeIf removes the questions for which gone returns true. It reports whether there were any.
func (l *openQuestions) removeIf(gone func(*asked) bool) bool {
	l.mu.Lock()
	before := len(l.all)
	l.all = slices.DeleteFunc(l.all, gone)
	removed := len(l.all) < before
	l.mu.Unlock()
	l.client.Touch()
	return removed
}

// find returns the question with an ID, or nil.
func (l *openQuestions) find(id string) *asked {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.IndexFunc(l.all, func(a *asked) bool { return a.q.ID == id }); i >= 0 {
		return l.all[i]
	}
	return nil
}

// list returns the questions of a session, or of all.
func (l *openQuestions) list(sessionID string) []view.Question {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := []view.Question{}
	for _, a := range l.all {
		if sessionID == "" || a.q.SessionID == sessionID {
			out = append(out, a.q)
		}
	}
	return out
}

// openQuestion shows a question in the views of its session and of the window.
func (v *Views) openQuestion(a *asked) {
	a.q.From = v.Tasks.from(a.q.SessionID)
	v.asks.add(a)
}

// askInstead shows a question of emendo's own, which a doer asks before it does something. It
// takes the place of an open one about the same thing, and stands until it is answered.
func (v *Views) askInstead(a *asked) {
	do := a.answer
	a.own = true
	a.answer = func(ctx context.Context, p actParams) (acted, error) {
		if !v.asks.remove(a) {
			return acted{}, errAnswered
		}
		return do(ctx, p)
	}
	v.asks.removeIf(func(o *asked) bool {
		return o.own && o.q.Code == a.q.Code && o.q.SessionID == a.q.SessionID && o.q.ItemID == a.q.ItemID
	})
	v.openQuestion(a)
}

// Ask shows a question in the views of its session and of the window, until it is answered
// or ctx ends.
func (v *Views) Ask(ctx context.Context, q frontend.Question) (frontend.Answer, error) {
	at := v.about(ctx, q.SessionID)
	at.Plan = planOf(q)
	return await(ctx, v, view.Permission(q, at), func(p actParams) (frontend.Answer, []view.Problem) {
		return permissionAnswer(q.Options, p), nil
	})
}

// newID returns the ID of a question of a kind.
func newID(kind string) string { return kind + "-" + rand.Text() }

// about returns what every question of a session needs.
func (v *Views) about(ctx context.Context, sessionID string) view.Asked {
	at := view.Asked{ID: newID("ask"), Encoding: v.c.Can.Encoding}
	if h := v.c.Host.Current(); h != nil {
		if ses, err := h.Agent.Session(ctx, sessionID); err == nil {
			at.Folders = ses.State.Work
		}
	}
	return at
}

// await shows a question until it is answered or ctx ends. read returns the answer that an
// option is, or what is wrong with it; then the question stays open.
func await[T any](ctx context.Context, v *Views, q view.Question, read func(p actParams) (T, []view.Problem)) (T, error) {
	answers := make(chan T, 1)
	a := &asked{q: q}
	a.answer = func(_ context.Context, p actParams) (acted, error) {
		answer, problems := read(p)
		if len(problems) > 0 {
			return acted{Problems: problems}, nil
		}
		if !v.asks.remove(a) {
			return acted{}, errAnswered
		}
		answers <- answer
		return acted{}, nil
	}
	v.openQuestion(a)
	defer v.asks.remove(a)
	select {
	case answer := <-answers:
		return answer, nil
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// permissionAnswer returns what the user answered to a question about a call.
func permissionAnswer(options []frontend.Option, p actParams) frontend.Answer {
	answer := frontend.Answer{OptionID: p.ActionID}
	if p.Text != nil {
		answer.Feedback = *p.Text
	}
	if p.ActionID == view.RejectWhy {
		i := slices.IndexFunc(options, func(o frontend.Option) bool { return o.Kind == frontend.RejectOnce })
		answer.OptionID, answer.Feedback = options[i].ID, p.value("reason")
	}
	return answer
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

// asksKnown are the questions that the client has in a view: since which version.
type asksKnown map[string]int64

// note notes questions that the client is sent with a version.
func (k asksKnown) note(open []view.Question, version int64) {
	for _, q := range open {
		if _, known := k[q.ID]; !known {
			k[q.ID] = version
		}
	}
}

// changes returns what a view lacks of the open questions, and what it has that are not open
// any more. The client is sent it with a version.
func (k asksKnown) changes(open []view.Question, version int64) (l []view.Change) {
	var gone []string
	for id := range k {
		if !slices.ContainsFunc(open, func(q view.Question) bool { return q.ID == id }) {
			gone = append(gone, id)
			delete(k, id)
		}
	}
	if len(gone) > 0 {
		slices.Sort(gone)
		l = append(l, view.Change{Drop: gone})
	}
	for _, q := range open {
		if _, known := k[q.ID]; !known {
			k[q.ID] = version
			l = append(l, view.Change{Question: &q})
		}
	}
	return l
}

// check returns an error if the user cannot have seen a question that they answer.
func (k asksKnown) check(p actParams) error {
	if since, known := k[p.ID]; !known || since > p.Version {
		return errNewer
	}
	return nil
}

// has reports whether a view has exactly the open questions.
func (k asksKnown) has(open []view.Question) bool {
	return len(open) == len(k) && !slices.ContainsFunc(open, func(q view.Question) bool { _, known := k[q.ID]; return !known })
}

// errAnswered is returned when a question is not open any more.
var errAnswered = client.Invalid("the question was answered already, or withdrawn")

// answer answers a question that the client has shown, by one of its options.
func (v *Views) answer(ctx context.Context, a *asked, p actParams) (acted, error) {
	switch err := v.checkAsked(p); {
	case err != nil:
		return acted{}, err
	case !slices.ContainsFunc(a.q.Options, func(o view.Action) bool { return o.ID == p.ActionID }):
		return acted{}, client.Invalid("the question %s has no option %s", p.ID, p.ActionID)
	}
	return a.answer(ctx, p)
}

// checkAsked returns an error if the user cannot have seen a question that they answer in a
// session's view or the window's.
func (v *Views) checkAsked(p actParams) error {
	if p.SessionID == "" {
		v.window.mu.Lock()
		defer v.window.mu.Unlock()
		return cmp.Or(checkVersion(p.Version, v.window.version), v.window.asks.check(p))
	}
	o := v.get(p.SessionID)
	if o == nil {
		return errNotOpen(p.SessionID)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return cmp.Or(checkVersion(p.Version, o.version), o.asks.check(p))
}

// CountQuestions returns how many questions are open.
func (v *Views) CountQuestions() int { return len(v.asks.list("")) }
