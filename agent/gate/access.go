package gate

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// opened holds the access beyond the sandbox that the user has granted to commands
// for the session, by directory and command.
type opened struct {
	mu sync.Mutex
	by map[string]tools.Access
}

func (w *opened) of(e tools.Runs) tools.Access {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.by[openedKey(e)]
}

func (w *opened) set(e tools.Runs, to tools.Access) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.by == nil {
		w.by = map[string]tools.Access{}
	}
	w.by[openedKey(e)] = to
}

func openedKey(e tools.Runs) string { return e.Dir + "\x00" + e.Command }

// Access returns what e may reach beyond the sandbox's usual limits on its first
// run, and on what terms it runs. Once the model has read untrusted content, earlier grants
// apply only to a call that the user was asked about, and the hosts of the settings to
// such a call and in mode yolo.
func (t *Turn) Access(e tools.Runs, p Permission) tools.Access {
	var a tools.Access
	untrusted := t.o.Untrusted().Any()
	held := untrusted && p.Answer == "" // nobody was asked
	if !t.gate.o.Settings().NoAlways && !held {
		a = t.gate.opened.of(e)
	}
	a.Unasked, a.Untrusted = p.Unasked, untrusted
	mode := t.gate.o.Facts().Mode
	a.Closed = held && mode != policy.Yolo
	a.Keeps = p.Unasked && mode == policy.Default && !t.gate.o.Client.Abilities().Asks
	return a
}

// Widen asks the user whether a command that the sandbox blocked may run again with
// more access. It asks in every mode, because modes and rules only cover commands
// in the sandbox. The refusal is the text for the model; it is empty if the user
// agreed.
func (t *Turn) Widen(ctx context.Context, c Call, e tools.Runs, given, more tools.Access) (refusal string) {
	if !t.gate.o.Client.Abilities().Asks {
		return fmt.Sprintf("This session cannot ask for permission. Continue without it, or say that the user should run `%s`, or start emendo with --no-sandbox.", visible.Short(tools.Shown(visible.OneLine(e.Command)), 200))
	}
	if err := t.o.Flush(); err != nil {
		return "The user could not be asked for permission."
	}
	t.awaitApproval(c)
	caution := ""
	if read := t.o.Untrusted(); read.Any() {
		caution = why(read, "needs access that the sandbox does not give")
	}
	q := t.Question(c, Verdict{reason: join(caution, fmt.Sprintf("The command failed, probably because the sandbox blocked %s. Run it again from the start with that access?", more))})
	q.Preview = t.preview(ctx, e)
	q.Options = []frontend.Option{{ID: "allow_once", Name: "Run it again with that access", Kind: frontend.AllowOnce}}
	if !t.gate.o.Settings().NoAlways {
		q.Options = append(q.Options, frontend.Option{ID: alwaysInSession, Name: "Run it again, and always allow exactly this command that access in this session", Kind: frontend.AllowAlways})
	}
	q.Options = append(q.Options, frontend.Option{ID: "reject_once", Name: "Do not run it again", Kind: frontend.RejectOnce})
	notified := t.o.Notify(ctx, q, c.Effect)
	a, err := t.gate.o.Client.Ask(ctx, q)
	notified()
	switch Answered(q, a, err) {
	case frontend.AllowOnce:
		return ""
	case frontend.AllowAlways:
		t.gate.opened.set(e, given.Union(more))
		return ""
	case frontend.RejectOnce, frontend.RejectAlways:
	}
	return join("The user refused that access. Do not try to work around this: continue without it, or ask what to do.", feedback(a))
}

// GoOn asks the user whether a command that is paused may go on. why is a sentence.
func (t *Turn) GoOn(ctx context.Context, e tools.Runs, why string) bool {
	if !t.gate.o.Client.Abilities().Asks {
		return false
	}
	q := frontend.Question{
		SessionID: t.gate.o.SessionID, TurnID: t.o.ID, Reason: "The command is paused. " + why + " If it goes on, it may write as much again.",
		Call:    frontend.CallInfo{CallID: t.o.ID + "-growth-" + strconv.Itoa(int(t.gate.grown.Add(1))), Name: "run_shell_command", Title: e.Command, Kind: tools.Execute},
		Preview: frontend.Preview{Command: e.Command, Cwd: e.Dir, Parsed: append([]string{}, e.Texts()...), Sandbox: t.gate.o.Commands.Level()},
		Options: []frontend.Option{{ID: "allow_once", Name: "Let it go on", Kind: frontend.AllowOnce}, {ID: "reject_once", Name: "End it", Kind: frontend.RejectOnce}},
	}
	a, err := t.gate.o.Client.Ask(ctx, q)
	return Answered(q, a, err) == frontend.AllowOnce
}
