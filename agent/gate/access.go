package gate

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/protect"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Access returns what e may reach beyond the sandbox's usual limits on its first
// run, and on what terms it runs. Once the model has read untrusted content, earlier grants
// apply only to a call that the user was asked about, and the hosts of the settings to
// such a call and in mode yolo.
func (t *Turn) Access(e tools.Runs, p Permission) tools.Access {
	var a tools.Access
	untrusted := t.o.Untrusted().Any()
	held := untrusted && p.Answer == "" // nobody was asked
	line := policy.LineOf(e)
	if !t.gate.o.Settings().Security.NoAlways && !held {
		a = t.gate.answers.access(line).Union(t.granted(line))
	}
	a = a.Union(p.Opens)
	a.Unasked, a.Untrusted, a.Verbatim = p.Unasked, untrusted, p.Verbatim
	mode := t.facts().Mode
	a.Closed = held && mode != policy.Yolo
	a.Keeps = p.Unasked && mode == policy.Default && !t.gate.o.Client.Abilities().Asks
	return a
}

// closedTo returns what the user has refused a line since their last message.
func (t *Turn) closedTo(line policy.Line) tools.Access {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed[line]
}

// granted returns what a line may always reach in this project.
func (t *Turn) granted(line policy.Line) tools.Access {
	var a tools.Access
	if t.gate.o.Answers == nil {
		return a
	}
	grants, err := t.gate.o.Answers.Grants(t.gate.o.Dir)
	if err != nil {
		t.gate.o.Log.Error("reading what commands may always reach", "session", t.gate.o.SessionID, "err", err)
	}
	for _, g := range grants {
		if g.Line == line && g.Project == t.gate.o.Dir {
			a = a.Union(g.Access())
		}
	}
	return a
}

// Widen asks the user whether a command that failed at its sandbox may run again with the
// access that it lacked. It asks in every mode, because modes and rules only cover commands in
// the sandbox. The refusal is the text for the model; it is empty if the user agreed.
func (t *Turn) Widen(ctx context.Context, c Call, w tools.Met) (refusal string) {
	e, more := w.Runs, w.Lacked()
	if !t.gate.o.Client.Abilities().Asks {
		return fmt.Sprintf("This session cannot ask for permission. Continue without it, or say that the user should run `%s`, or start emendo with --no-sandbox.", visible.Short(tools.Shown(visible.OneLine(e.Command)), 200))
	}
	line := policy.LineOf(e)
	if !more.Adds(t.closedTo(line)) {
		return "The user has already refused this command that access, so it was not asked about again. Continue without it, or say in your answer why it is needed."
	}
	if err := t.o.Flush(); err != nil {
		return "The user could not be asked for permission."
	}
	t.awaitApproval(c)
	caution := ""
	if read := t.o.Untrusted(); read.Any() {
		caution = whyAsked(read, "needs access that the sandbox does not give")
	}
	q := t.Question(c, Verdict{reason: joinSentences(caution, fmt.Sprintf("The command ran and failed at the sandbox: %s. Run it again, from its start, with access to %s?", w.Wall, more))})
	q.Preview = t.preview(ctx, e)
	q.Options = t.wallOptions(more)
	a, err := t.ask(ctx, q, c.Effect)
	switch Answered(q, a, err) {
	case frontend.AllowOnce:
		return ""
	case frontend.AllowAlways:
		if a.OptionID != alwaysInProject || !t.storeAccess(line, more) {
			t.gate.open(line, more)
		}
		return ""
	case frontend.RejectOnce, frontend.RejectAlways:
	}
	if ctx.Err() == nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.closed[line] = t.closed[line].Union(more)
	}
	return joinSentences("The user refused that access. Do not try to work around this: continue without it, or ask what to do.", feedback(a))
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

// wallOptions returns the answers to a question about access: what is protected is opened for
// one run, the whole network for the session at most, hosts or one folder always.
func (t *Turn) wallOptions(more tools.Access) []frontend.Option {
	l := []frontend.Option{{ID: "allow_once", Name: "Run it again with that access, once", Kind: frontend.AllowOnce}}
	if !t.gate.o.Settings().Security.NoAlways && !t.protects(more) {
		l = append(l, frontend.Option{ID: alwaysInSession, Name: "Run it again, and always allow exactly this command that access in this session", Kind: frontend.AllowAlways})
		if _, ok := grantOf(more); ok && t.gate.o.Answers != nil {
			l = append(l, frontend.Option{ID: alwaysInProject, Name: "Run it again, and always allow exactly this command that access in this project", Kind: frontend.AllowAlways})
		}
	}
	return append(l, frontend.Option{ID: "reject_once", Name: "Do not run it again", Kind: frontend.RejectOnce})
}

// protects reports whether some of the paths are protected: what a command may not use in the
// workspace is, and names that decide what runs are everywhere.
func (t *Turn) protects(a tools.Access) bool {
	f := t.facts()
	place := t.gate.place(f)
	return slices.ContainsFunc(slices.Concat(a.Write, a.Read), func(p string) bool {
		return paths.WithinAny(p, f.Roots) || place.At(p) > protect.Open
	})
}

// grantOf returns the grant of an access that can be stored: some hosts or one path.
func grantOf(a tools.Access) (policy.Grant, bool) {
	g := policy.Grant{Hosts: a.Hosts}
	switch files := len(a.Write) + len(a.Read); {
	case a.Network || a.Outside || files > 1 || files == 1 && len(a.Hosts) > 0:
		return policy.Grant{}, false
	case len(a.Write) == 1:
		g.Write = a.Write[0]
	case len(a.Read) == 1:
		g.Read = a.Read[0]
	}
	return g, true
}

// storeAccess stores that a line may always have an access in this project, where it can be taken
// back, and reports whether it is stored.
func (t *Turn) storeAccess(l policy.Line, a tools.Access) bool {
	g, ok := grantOf(a)
	if !ok {
		return false // it was not offered
	}
	g.Line, g.Project, g.Added = l, t.gate.o.Dir, time.Now().UTC().Truncate(time.Second)
	if err := t.gate.o.Answers.Give(g); err != nil {
		t.notSaved(err)
		return false
	}
	return true
}

// notSaved tells the user that an answer holds for this session only.
func (t *Turn) notSaved(err error) {
	t.gate.o.Log.Error("saving an answer", "session", t.gate.o.SessionID, "err", err)
	t.o.Emit(transcript.Notice{
		Severity: transcript.Warning, Code: transcript.NoticeError, Title: "Your answer was not saved",
		Description: fmt.Sprintf("It applies to this session only: %v", err),
	})
}
