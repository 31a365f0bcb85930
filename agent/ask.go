package agent

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/tools"
)

// question is what is asked about a call, without its options and preview.
func (c *call) question(v verdict) frontend.Question {
	t := c.turn
	also := t.session.otherNames(c.action.Effect)
	if e, ok := c.action.Effect.(tools.Runs); ok && e.Background {
		also = "It goes on in the background when the call has ended."
	}
	q := frontend.Question{
		SessionID: t.session.id, TurnID: t.id, Rule: v.rule, Reason: strings.TrimSpace(v.reason + " " + also),
		Call: frontend.CallInfo{CallID: c.made.CallID, Name: c.made.Name, Title: c.made.Title, Kind: c.made.Kind, Args: c.made.Args, Locations: c.action.Locations},
	}
	if e, ok := c.action.Effect.(tools.Edits); ok {
		q.Call.Diffs = diffs(e)
	}
	return q
}

// ask asks the user about a call that is no edit; nil when the answer was yes.
func (c *call) ask(ctx context.Context, v verdict) (refusal *tools.Result) {
	s := c.turn.session
	no := func(r tools.Result) *tools.Result { return &r }
	if err := c.turn.box.settle(nil); err != nil { // the call is shown before it is asked about
		return no(tools.Result{Err: tools.Errorf(tools.Unhandled, "%v", err)})
	}
	q := c.question(v)
	q.Options = []frontend.Option{{ID: "allow_once", Name: "Allow once", Kind: frontend.AllowOnce}}
	refuse := "Deny"
	switch e := c.action.Effect.(type) {
	case tools.Runs:
		q.Preview = c.turn.previewOf(ctx, e)
		if v.open {
			q.Preview.Sandbox = sandbox.Open.String()
		}
	case tools.Reads:
		q.Preview = frontend.Preview{Paths: e.Paths}
	case tools.Plans:
		q.Options[0].Name, refuse = "Plan first", "Go on without a plan"
	case tools.Presents:
		q.Preview = frontend.Preview{PlanURI: ide.FileURI(e.Path)}
		q.Options, refuse = planOptions(s.Trusted()), "Do not carry it out yet"
	case tools.Remembers:
		q.Options[0].Name = "Save it"
	case tools.Sends:
		q.Preview = frontend.Preview{URLs: e.URLs}
	case tools.Edits:
		panic("agent: an edit is asked about as a change set")
	case tools.Notes, tools.Asks, tools.Ends: // a rule of the user's asks
	}
	q.Options = append(q.Options, s.agent.lastingOptions(v.offers)...)
	if v.doubts {
		q.Options = []frontend.Option{q.Options[0], vouch}
	}
	q.Options = append(q.Options, c.refusals(refuse)...)
	notified := c.notify(ctx, q)
	a, err := s.agent.client.Ask(ctx, q)
	notified()
	if ctx.Err() != nil {
		return no(cancelledResult(""))
	}
	c.leave = optionKind(q, a, err)
	switch c.leave {
	case frontend.AllowAlways:
		if v.doubts {
			c.turn.emit(transcript.Vouched{})
		} else if o, ok := chosen(v.offers, a.OptionID); ok {
			c.turn.remains(o)
		}
		return nil
	case frontend.AllowOnce:
		return nil
	case frontend.RejectOnce, frontend.RejectAlways:
		c.halts = a.OptionID == rejectAndStop.ID
	}
	text := refusedText(c.action.Effect)
	if a.Feedback != "" {
		text += " The user says: " + a.Feedback
	}
	return no(tools.Result{Err: &tools.Error{Type: tools.PolicyViolation, Message: text}})
}

// rejectAndStop ends the turn, so that the other calls of a response are not
// asked about one by one.
var rejectAndStop = frontend.Option{ID: "reject_stop", Name: "Reject this and the rest, and stop", Kind: frontend.RejectOnce}

// refusals are the options by which a call is rejected.
func (c *call) refusals(name string) []frontend.Option {
	l := []frontend.Option{{ID: "reject_once", Name: name, Kind: frontend.RejectOnce}}
	if c.among {
		l = append(l, rejectAndStop)
	}
	return l
}

// optionKind is what the answer comes to: anything that was not offered, a
// failure included, is a refusal.
func optionKind(q frontend.Question, a frontend.Answer, err error) frontend.OptionKind {
	if err == nil && !a.Cancelled {
		for _, o := range q.Options {
			if o.ID == a.OptionID {
				return o.Kind
			}
		}
	}
	return frontend.RejectOnce
}

// savedFiles is what became of unsaved files before a command.
type savedFiles struct {
	unsaved []string // relative where possible; the command saw their text on disk
}

// note tells the model which text the command saw; empty when all was saved.
func (f savedFiles) note() string {
	if len(f.unsaved) == 0 {
		return ""
	}
	return "\nNote: the command saw these files as they are on disk, without the editor's unsaved changes: " + strings.Join(f.unsaved, ", ") + "."
}

// unsaved are the open files below the session's folders that the disk has
// another text of. Editors do not say that a document was unsaved already when
// they opened it to us, so the disk is asked.
func (t *turn) unsaved(ctx context.Context) []*ide.Document {
	var l []*ide.Document
	for _, d := range t.session.agent.o.Workspace.Snapshot().Documents() {
		if d.Path == "" {
			continue
		}
		p, err := t.session.folders().Resolve(d.Path)
		if err != nil {
			continue
		}
		if d.Unsaved || t.differs(ctx, p, d) {
			l = append(l, d)
		}
	}
	return l
}

// differs says whether a file's text is another one than its document's, apart
// from line ends, which some editors show as one kind. One that cannot be read
// is as good as the document.
func (t *turn) differs(ctx context.Context, p disk.Path, d *ide.Document) bool {
	on, err := t.session.folders().ReadText(ctx, p)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	text := d.Text.String()
	return on.Text != text && oneKindOfLineEnd(on.Text) != oneKindOfLineEnd(text)
}

func oneKindOfLineEnd(s string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
}

// previewOf returns the preview of a command.
func (t *turn) previewOf(ctx context.Context, e tools.Runs) frontend.Preview {
	p := frontend.Preview{Command: e.Command, Cwd: e.Dir, Parsed: append([]string{}, e.Texts()...), Sandbox: t.session.agent.heldAt()}
	p.Saves, p.Unsaved = t.openBeforeCommand(ctx)
	return p
}

// openBeforeCommand returns the open files that the editor is asked to save before
// a command runs, and those of which the command would see the text on disk.
func (t *turn) openBeforeCommand(ctx context.Context) (saves, unsaved []ide.URI) {
	unsaved = []ide.URI{}
	open := t.unsaved(ctx)
	var ours []*ide.Document
	if t.session.agent.client.Abilities().Saves {
		ours = t.changedHere(open)
	}
	for _, d := range open {
		if slices.Contains(ours, d) {
			saves = append(saves, ide.URI(d.Spelling))
		} else {
			unsaved = append(unsaved, ide.URI(d.Spelling))
		}
	}
	return saves, unsaved
}

// changedHere are those of the documents that the session has changed.
func (t *turn) changedHere(open []*ide.Document) (ours []*ide.Document) {
	changed := t.session.changedFiles()
	for _, d := range open {
		if slices.Contains(changed, d.Path) {
			ours = append(ours, d)
		}
	}
	return ours
}

// save asks the editor to save what the session changed before a command runs.
func (t *turn) save(ctx context.Context, _ tools.Runs) savedFiles {
	s := t.session
	open := t.unsaved(ctx)
	if len(open) == 0 {
		return savedFiles{}
	}
	var ours []ide.URI
	for _, d := range t.changedHere(open) {
		ours = append(ours, d.URI)
	}
	if len(ours) > 0 && s.agent.o.Editor != nil {
		if _, err := s.agent.o.Editor.Save(ctx, ours); err != nil {
			s.agent.log.Debug("the editor did not save", "session", s.id, "err", err)
		}
	}
	var f savedFiles
	for _, d := range t.unsaved(ctx) { // the editor's word is not enough: what didSave told counts
		f.unsaved = append(f.unsaved, s.within(d.Path))
	}
	return f
}

// within is a path relative to the workspace folder that holds it, or as it is.
func (s *Session) within(path string) string {
	for _, root := range s.roots() {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}
