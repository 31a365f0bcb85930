package view

import (
	"path"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// StatusID is the ID of the status in each view.
const StatusID = "status"

// Compact is the action that shortens the history for the model.
const Compact = "compact"

// Standing has the facts that the status of a session tells.
type Standing struct {
	Mode      policy.Mode
	Model     string
	Usage     transcript.Usage
	Works     bool // a prompt of this process is not answered yet
	Asks      bool // it waits for the user
	Elsewhere bool // another process works in it
	Commands
	Edits
	Quota []frontend.Quota // what the provider still accepts
	Redo  bool             // the last rewind can be undone
}

// Commands says how commands run.
type Commands struct {
	Level string // of the sandbox: A, B or C; empty while it is not known
	Why   string // those that change something ask; empty: they do not
}

// Edits counts the hunks that wait for the user.
type Edits struct {
	Pending    int
	Unreviewed int // they are applied
}

// nearlyFull is the share of the context from which on the user has to see it.
const nearlyFull = 0.8

// Status returns the status of the session: its title says what it does, its lines what a bar
// or a panel chooses from by their IDs.
func (c *Conversation) Status(s Standing) Item {
	i := Item{ID: StatusID, Kind: KindStatus, Title: say("status.ready")}
	var actions []string
	turn := c.items[c.running]
	switch {
	case turn != nil:
		i.State, i.Title, i.At = Running, turn.Title, turn.At
		actions = append(actions, Stop)
	case s.Works:
		i.State, i.Title = Running, say("turn.working")
		actions = append(actions, Stop)
	case s.Elsewhere:
		i.State, i.Title = Waiting, say("status.elsewhere")
	case len(c.top) > 0:
		actions = append(actions, Compact)
	}
	if s.Asks {
		i.State = Asks
		if turn == nil {
			i.Title = say("turn.asks")
		}
	}
	if c.paused {
		actions = append(actions, Resume)
	}
	if s.Redo && i.State == "" {
		actions = append(actions, Redo)
	}
	i.Actions = byID(actions...)
	if len(c.top) > 0 {
		i.Actions = append(i.Actions, Action{ID: Copy, Title: doing("copy_all")})
	}
	i.Actions = append(i.Actions, s.Edits.actions()...)
	i.Lines = append(i.Lines, c.queueLines()...)
	i.Lines = append(i.Lines, s.Edits.lines()...)
	i.Lines = append(i.Lines, modeLine(s.Mode))
	if s.Model != "" {
		i.Lines = append(i.Lines, modelLine(s.Model))
	}
	i.Lines = append(i.Lines, c.contextLines(s.Usage)...)
	i.Lines = append(i.Lines, usageLines(s.Usage)...)
	i.Lines = append(i.Lines, quotaLines(s.Quota)...)
	i.Lines = append(i.Lines, s.Commands.lines()...)
	return i
}

// queueLines says how many prompts wait.
func (c *Conversation) queueLines() []Line {
	n := len(c.queue)
	switch {
	case n == 0:
		return nil
	case c.paused:
		return []Line{{ID: "queue", Look: warning, Text: short(say("status.paused", "n", n), say("status.paused_short").Text)}}
	}
	return []Line{{ID: "queue", Text: short(say("status.queued", "n", n), say("status.queued_short", "n", n).Text)}}
}

// lines says how many hunks wait for the user.
func (e Edits) lines() (l []Line) {
	if n := e.Pending; n > 0 {
		l = append(l, Line{ID: "pending", Look: "edit", Text: short(say("status.pending", "n", n), say("status.pending_short", "n", n).Text)})
	}
	if n := e.Unreviewed; n > 0 {
		l = append(l, Line{ID: "unreviewed", Look: "edit", Text: short(say("status.unreviewed", "n", n), say("status.unreviewed_short", "n", n).Text)})
	}
	return l
}

func modeLine(m policy.Mode) Line {
	return Line{ID: "mode", Look: string(m), Label: new(say("label.mode")), Text: ModeName(m), Action: new(Door(ClientMode))}
}

// ModeName returns the name of a mode.
func ModeName(m policy.Mode) Text {
	for _, i := range policy.Modes() {
		if i.ID == m {
			return Text{Text: i.Name, Code: "mode." + string(m)}
		}
	}
	return say("status.mode", "mode", string(m))
}

func modelLine(name string) Line {
	l := Line{ID: "model", Label: new(say("label.model")), Text: say("status.model_auto"), Action: new(Door(ClientModel))}
	if name != "auto" {
		l.Text = say("status.model", "model", name)
		if s := path.Base(name); s != name {
			l.Text.Short = say("status.model", "model", s).Text
		}
	}
	return l
}

// contextLines says how much of the model's context the conversation takes.
func (c *Conversation) contextLines(u transcript.Usage) []Line {
	size := c.context.size
	if size == 0 {
		size = u.ContextLimit
	}
	if c.context.used <= 0 || size <= 0 {
		return nil
	}
	share := min(float64(c.context.used)/float64(size), 1)
	percent := int(share*100 + 0.5)
	l := Line{
		ID: "context", Label: new(say("label.context")), Share: &share,
		Text: short(say("status.context", "used", c.context.used, "size", size, "percent", percent), say("status.context_short", "percent", percent).Text),
	}
	if share >= nearlyFull {
		l.Look = warning
	}
	return []Line{l}
}

// usageLines says what the session came to.
func usageLines(u transcript.Usage) (l []Line) {
	add := func(id string, n int64, short string) {
		t := say("status.tokens", "n", n)
		t.Short = short
		l = append(l, Line{ID: id, Label: new(say("label." + id)), Text: t})
	}
	if u.Total > 0 {
		add("input", u.Input, say("status.input_short", "n", u.Input).Text)
		add("cached", u.Cached, "")
		add("output", u.Output, say("status.output_short", "n", u.Output+u.Thought).Text)
	}
	if u.Thought > 0 {
		add("thoughts", u.Thought, "")
	}
	if u.Priced > 0 {
		t := cost("status.cost", u)
		brief := say("status.cost_short", "amount", t.Args.Get("amount"), "currency", "USD").Text
		if t.Code == "status.cost_under" {
			brief = "<" + brief
		}
		l = append(l, Line{ID: "cost", Label: new(say("label.cost")), Text: short(t, brief)})
	}
	return l
}

// quotaLines says what the provider still accepts.
func quotaLines(left []frontend.Quota) (l []Line) {
	for _, q := range left {
		line := Line{ID: "quota", Label: new(say("label.quota", "of", q.Of)), Text: say("status.quota", "n", q.Remaining)}
		if q.Limit > 0 {
			share := max(0, min(1-float64(q.Remaining)/float64(q.Limit), 1))
			line.Share, line.Text = &share, say("status.quota_of", "n", q.Remaining, "limit", q.Limit)
			if share >= nearlyFull {
				line.Look = warning
			}
		}
		if !q.ResetAt.IsZero() {
			at := q.ResetAt.UTC().Format(time.RFC3339)
			line.Text = say("status.quota_until", "left", line.Text.Text, "at", at)
		}
		l = append(l, line)
	}
	return l
}

// lines says how commands run.
func (c Commands) lines() (l []Line) {
	if c.Level != "" {
		level := strings.ToLower(c.Level)
		line := Line{ID: "sandbox", Look: level, Label: new(say("label.commands")), Text: short(say("status.sandbox_"+level), say("status.sandbox_"+level+"_short").Text)}
		l = append(l, line)
	}
	if c.Why != "" {
		l = append(l, Line{ID: "asks", Label: new(say("label.asks")), Text: say("status.asks", "why", c.Why)})
	}
	return l
}

// WindowStanding has the facts that the status of a window tells.
type WindowStanding struct {
	Failed     string // why emendo did not start
	SignedOut  bool
	Restricted string // the first folder that is not trusted
	NoFolder   bool
	Works      bool // a turn runs in one of its sessions
	Questions  int  // open ones
	Commands
	Edits

	// Of the session that was used last; empty without one.
	Mode  policy.Mode
	Model string
	Usage transcript.Usage
}

// WindowStatus returns the status of the window, for the status bar of the editor: what needs
// the user comes before what is merely so.
func WindowStatus(s WindowStanding) Item {
	i := Item{ID: StatusID, Kind: KindStatus, Title: short(say("status.ready"), "")}
	edits := s.Edits.lines()
	switch {
	case s.Failed != "":
		i.State, i.Look, i.Title = Failed, "error", short(say("status.failed", "why", s.Failed), say("status.failed_short").Text)
	case s.Questions > 0:
		i.State, i.Look, i.Title = Asks, warning, short(say("status.questions", "n", s.Questions), say("status.questions_short", "n", s.Questions).Text)
	case s.SignedOut:
		i.State, i.Look, i.Title = Failed, "signed_out", short(say("status.signed_out"), say("status.signed_out_short").Text)
	case s.Works && s.Pending == 0:
		i.State, i.Title = Running, short(say("status.works"), say("status.works_short").Text)
	case s.Pending > 0:
		i.Look, i.Title = "edit", edits[0].Text
		if s.Works {
			i.State = Running
		}
	case s.Restricted != "":
		i.Look, i.Title = "restricted", short(say("status.restricted", "folder", s.Restricted), say("status.restricted_short").Text)
	}
	i.Lines = edits
	if s.SignedOut {
		i.Lines = append(i.Lines, Line{ID: "signed_out", Look: warning, Text: short(say("status.signed_out"), say("status.signed_out_short").Text), Action: new(Door(ClientSignIn))})
	}
	if s.Restricted != "" {
		i.Lines = append(i.Lines, Line{ID: "restricted", Look: warning, Text: short(say("status.restricted", "folder", s.Restricted), say("status.restricted_short").Text), Action: new(Door(ClientTrust))})
	}
	if s.NoFolder {
		i.Lines = append(i.Lines, Line{ID: "no_folder", Label: new(say("obstacle.no_folder")), Text: say("obstacle.no_folder_text")})
	}
	if s.Mode != "" {
		i.Lines = append(i.Lines, modeLine(s.Mode))
	}
	if s.Model != "" {
		i.Lines = append(i.Lines, modelLine(s.Model))
	}
	i.Lines = append(append(i.Lines, usageLines(s.Usage)...), s.Commands.lines()...)
	i.Actions = s.Edits.actions()
	return i
}
