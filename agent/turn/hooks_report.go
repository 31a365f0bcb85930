package turn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/trust"
)

// Fire runs the hooks of an event, reports them to the user, and returns their merged
// output.
func (t *turnHooks) Fire(ctx context.Context, in hooks.Input) hooks.Outcome {
	o, quiet := t.conv.Session.Fire(ctx, in, func(folder string, e trust.Entry) (trust.Cleared, bool) {
		return t.conv.Gate.MayStart(ctx, folder, e)
	})
	if o.Ran() && ctx.Err() == nil {
		t.report(in.Event(), o, quiet)
	}
	return o
}

// report notifies the user about hooks that ran, with their messages. Each failure is
// reported once in a session.
func (t *turnHooks) report(e hooks.Event, o hooks.Outcome, quiet bool) {
	notify := func(r hooks.Run, did, what, outcome string) {
		t.conv.Emit(transcript.Notice{
			Severity: transcript.Warning, Code: transcript.NoticeHook, Title: "The hook " + r.Hook.Label() + " " + did, Description: what,
			Hook: &transcript.HookRun{Names: []string{r.Hook.Label()}, Event: string(e), DurationMS: r.Took.Milliseconds(), Outcome: outcome},
		})
	}
	var ran []string
	for _, r := range o.Runs {
		if made := state.ProtectedFilesMade(r); made != "" {
			notify(r, "made protected files", made, "ok")
		}
		if r.Err == nil {
			ran = append(ran, r.Hook.Label())
		} else if t.conv.Session.HookState.FirstFailure(r) {
			notify(r, "failed", fmt.Sprintf("%s: %v. The operation continues without it.", e, r.Err), "failed")
		}
	}
	message, outcome := o.Message(), outcomeOf(e, o)
	if outcome == "ok" && (o.Stops() || o.Blocks()) && !o.Suppress {
		message = cmp.Or(message, o.Why()) // of an event that cannot be refused
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
	t.conv.Emit(n)
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
