package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/visible"
)

// tellOfHooks tells the user of hooks that ran: of those that failed once in a
// session, and of the others with what they have to say.
func (t *turn) tellOfHooks(e hooks.Event, o hooks.Outcome, quiet bool) {
	var ran []string
	for _, r := range o.Runs {
		if made := madeBy(r); made != "" {
			t.emit(transcript.Notice{
				Severity: transcript.Warning, Code: transcript.NoticeHook, Title: "The hook " + r.Hook.Label() + " made protected files", Description: made,
				Hook: &transcript.HookRun{Names: []string{r.Hook.Label()}, Event: string(e), DurationMS: r.Took.Milliseconds(), Outcome: "ok"},
			})
		}
		if r.Err == nil {
			ran = append(ran, r.Hook.Label())
			continue
		}
		if t.session.hooking.first(r) {
			t.emit(transcript.Notice{
				Severity: transcript.Warning, Code: transcript.NoticeHook, Title: "The hook " + r.Hook.Label() + " failed", Description: fmt.Sprintf("%s: %v. What it was to look at goes on without it.", e, r.Err),
				Hook: &transcript.HookRun{Names: []string{r.Hook.Label()}, Event: string(e), DurationMS: r.Took.Milliseconds(), Outcome: "failed"},
			})
		}
	}
	message, outcome := o.Message(), outcomeOf(e, o)
	if outcome == "ok" && (o.Stops() || o.Blocks()) && !o.Suppress {
		message = cmp.Or(message, o.Why()) // of what cannot be refused
	}
	message = hooks.BoundedMessage(message)
	each := e == hooks.AfterModel && outcome == "ok" // for every piece of an answer
	if len(ran) == 0 || message == "" && (quiet || each) {
		return
	}
	n := transcript.Notice{
		Severity: transcript.Info, Code: transcript.NoticeHook, Title: fmt.Sprintf("%s ran at %s (%s, %s)", hookWords(ran), e, o.Took.Round(time.Millisecond), outcome), Description: message,
		Hook: &transcript.HookRun{Names: ran, Event: string(e), DurationMS: o.Took.Milliseconds(), Outcome: outcome},
	}
	if slices.ContainsFunc(o.Runs, func(r hooks.Run) bool { return r.Err == nil && r.Said != nil && r.Said.Warns }) {
		n.Severity = transcript.Warning
	}
	t.emit(n)
}

// madeBy says which protected files a hook made and where they are now; empty when
// there are none.
func madeBy(r hooks.Run) string {
	var l []string
	for _, m := range r.Moved {
		l = append(l, fmt.Sprintf("%s decides what may run, so hooks may not create it. It was moved to %s.", visible.Line(m.From), visible.Line(m.To)))
	}
	if r.MovedErr != nil {
		l = append(l, "What else it made could not be checked: "+visible.Line(r.MovedErr.Error())+".")
	}
	return strings.Join(l, " ")
}

// first says whether the user was not told of a failure yet.
func (h *hooking) first(r hooks.Run) bool {
	key := string(r.Hook.Event) + "\x00" + r.Hook.Name + "\x00" + r.Hook.Command + "\x00" + r.Err.Error()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.told[key] {
		return false
	}
	if h.told == nil {
		h.told = map[string]bool{}
	}
	h.told[key] = true
	return true
}

func outcomeOf(e hooks.Event, o hooks.Outcome) string {
	switch {
	case !e.Decides():
		return "ok"
	case o.Stops():
		return "stopped"
	case o.Blocks():
		return "blocked"
	case o.Asks() && e == hooks.BeforeTool:
		return "asked"
	}
	return "ok"
}

func hookWords(names []string) string {
	if len(names) == 1 {
		return "The hook " + names[0]
	}
	return "The hooks " + strings.Join(names, ", ")
}
