package gate

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/tools"
)

// askAbout asks the user about a call that is not an edit.
func (t *Turn) askAbout(ctx context.Context, c Call, v Verdict) Permission {
	if err := t.o.Flush(); err != nil { // the call is shown before the question
		return refuse(tools.Result{Err: tools.Errorf(tools.Unhandled, "%v", err)})
	}
	if _, runs := c.Effect.(tools.Runs); runs {
		v.reason = joinSentences(v.reason, t.gate.whyAsks())
	}
	q := t.Question(c, v)
	q.Options = []frontend.Option{{ID: "allow_once", Name: "Allow once", Kind: frontend.AllowOnce}}
	no := "Deny"
	switch e := c.Effect.(type) {
	case tools.Runs:
		q.Preview = t.preview(ctx, e)
		q.Preview.Commands = commandParts(v.parts)
		if v.outside {
			q.Preview.Sandbox = sandbox.Open.String()
		}
	case tools.Reads:
		q.Preview = frontend.Preview{Paths: e.Paths, Skill: e.Skill}
	case tools.Plans:
		q.Options[0].Name, no = "Plan first", "Continue without a plan"
	case tools.Presents:
		q.Preview = frontend.Preview{PlanURI: ide.FileURI(e.Path)}
		q.Options, no = planOptions(t.facts().Trusted), "Do not carry it out yet"
	case tools.Remembers:
		q.Options[0].Name = "Save it"
	case tools.Sends:
		q.Preview = frontend.Preview{URLs: e.URLs, Text: e.Text}
	case tools.Calls:
		q.Preview = frontend.Preview{ServerName: e.Server, ToolName: e.Tool, Args: c.Info.Args}
	case tools.Samples:
		q.Preview = frontend.Preview{ServerName: e.Server, ToolName: c.Info.Name, Args: c.Info.Args}
	case tools.Edits:
		panic("gate: an edit is asked about as a change set")
	case tools.Notes, tools.Finds, tools.Asks, tools.Ends: // only a rule of the user's asks about these
	}
	q.Options = append(q.Options, t.gate.rememberedOptions(v.offers)...)
	if v.follows.Any() && !t.gate.o.Settings().Security.NoAlways {
		q.Options = append(q.Options, frontend.Option{ID: allowFollowing, Name: "Allow, and in this session ask no more about requests after content from " + transcript.NamesOf(v.covers), Kind: frontend.AllowAlways})
	}
	q.Options = append(q.Options, rejections(c, no)...)
	a, err := t.ask(ctx, q, c.Effect)
	if ctx.Err() != nil {
		return refuse(tools.CancelledResult(""))
	}
	p := Permission{Answer: Answered(q, a, err)}
	switch p.Answer {
	case frontend.AllowAlways:
		if a.OptionID == allowFollowing {
			t.o.Emit(transcript.Vouched{Authors: v.covers})
		} else if o, ok := chosen(v.offers, a.OptionID); ok {
			t.remember(o)
		}
		return p
	case frontend.AllowOnce:
		return p
	case frontend.RejectOnce, frontend.RejectAlways:
		p.Stop = Stops(a)
	}
	p.Refusal = &tools.Result{Err: &tools.Error{Type: tools.PolicyViolation, Message: joinSentences(cmp.Or(tools.TraitsOf(c.Effect).Refused, "The user did not allow this call."), feedback(a))}}
	return p
}

// ask asks the user, and runs the hooks for the question meanwhile.
func (t *Turn) ask(ctx context.Context, q frontend.Question, e tools.Effect) (frontend.Answer, error) {
	notified := t.o.Notify(ctx, q, e)
	defer notified()
	return t.gate.o.Client.Ask(ctx, q)
}

// Question builds the question about a call. The caller sets Options and Preview.
func (t *Turn) Question(c Call, v Verdict) frontend.Question {
	also := otherNames(t.facts().Folders, c.Effect)
	if e, ok := c.Effect.(tools.Runs); ok && e.Background {
		also = "It continues in the background after the call ends."
	}
	who := ""
	if c.Subagent != "" {
		who = "The agent " + c.Subagent + " requests this."
	}
	return frontend.Question{SessionID: t.gate.o.SessionID, TurnID: t.o.ID, Call: c.Info, Rule: v.Rule, Reason: joinSentences(who, v.reason, also)}
}

// EditQuestion builds the question about an edit, which the client shows as a
// change set.
func (t *Turn) EditQuestion(c Call, v Verdict, changeSet string) frontend.Question {
	q := t.Question(c, v)
	q.Preview = frontend.Preview{ChangeSetID: changeSet}
	q.Options = []frontend.Option{{ID: "allow_once", Name: "Accept the changes", Kind: frontend.AllowOnce}}
	if f := t.facts(); f.Trusted && f.Mode == policy.Default && !t.gate.o.Settings().Security.NoAlways {
		q.Options = append(q.Options, frontend.Option{ID: alwaysInSession, Name: "Accept, and edit without asking in this session", Kind: frontend.AllowAlways})
	}
	q.Options = append(q.Options, rejections(c, "Reject")...)
	return q
}

// preview returns the preview of a command.
func (t *Turn) preview(ctx context.Context, e tools.Runs) frontend.Preview {
	p := frontend.Preview{Command: e.Command, Cwd: e.Dir, Parsed: append([]string{}, e.Texts()...), Sandbox: t.gate.o.Commands.Level()}
	p.Saves, p.Unsaved = t.o.OpenFiles(ctx)
	return p
}

func commandParts(parts []policy.PartDecision) []frontend.CommandPart {
	var l []frontend.CommandPart
	for _, p := range parts {
		l = append(l, frontend.CommandPart{Text: p.Text, Decision: p.Kind.String(), Rule: p.Rule, Reason: p.Reason, Danger: p.Danger})
	}
	return l
}

// planOptions returns the ways to approve a plan.
func planOptions(trusted bool) []frontend.Option {
	l := []frontend.Option{{ID: "allow_once", Name: "Carry the plan out, and ask before each change", Kind: frontend.AllowOnce}}
	if trusted {
		l = append(l, frontend.Option{ID: alwaysInSession, Name: "Carry the plan out, and edit without asking in this session", Kind: frontend.AllowAlways})
	}
	return l
}

const rejectAndStop = "reject_stop"

// rejections returns the options that reject a call. A call that came with others
// can be rejected together with them.
func rejections(c Call, name string) []frontend.Option {
	l := []frontend.Option{{ID: "reject_once", Name: name, Kind: frontend.RejectOnce}}
	if c.Among {
		l = append(l, frontend.Option{ID: rejectAndStop, Name: "Reject this and the rest, and stop", Kind: frontend.RejectOnce})
	}
	return l
}

// Stops reports whether an answer rejects all calls of the response.
func Stops(a frontend.Answer) bool { return a.OptionID == rejectAndStop }

// Answered returns the kind of the option that the user chose. An option that
// was not offered and an error of the client are refusals.
func Answered(q frontend.Question, a frontend.Answer, err error) frontend.OptionKind {
	i := slices.IndexFunc(q.Options, func(o frontend.Option) bool { return o.ID == a.OptionID })
	if err != nil || a.Cancelled || i < 0 {
		return frontend.RejectOnce
	}
	return q.Options[i].Kind
}

func feedback(a frontend.Answer) string {
	if a.Feedback == "" {
		return ""
	}
	return "The user says: " + a.Feedback
}

// otherNames describes the files of an effect that have other hard links, through
// which they can be reached as well.
func otherNames(folders *disk.Tree, e tools.Effect) string {
	var paths []string
	what := "its content may be in use elsewhere"
	switch e := e.(type) { //nolint:gochecksumtype // the other effects have no files
	case tools.Reads:
		paths = e.Paths
	case tools.Edits:
		what = "all of them get the new text"
		for _, f := range e.Files {
			paths = append(paths, f.Path)
		}
	}
	var l []string
	for _, path := range paths {
		p, err := folders.Resolve(path)
		if path == "" || err != nil {
			continue
		}
		if i, err := folders.Stat(p); err == nil && i.Mode().IsRegular() && i.Links > 1 {
			l = append(l, fmt.Sprintf("The file %s has %d hard links; %s.", tools.Shown(filepath.Base(path)), i.Links, what))
		}
	}
	return joinSentences(l...)
}
