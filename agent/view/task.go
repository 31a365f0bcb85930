package view

import (
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view/phrase"
)

// Dismiss is the action that removes what has only to be read.
const Dismiss = "dismiss"

// Task is a command of the user's that runs beside the conversations, or in one: what it is
// about, and what has come of it so far.
type Task struct {
	ID          string
	What        string // of the texts task.WHAT
	Name        string // of what it is about: a.go:3-9
	Instruction string // of the user
	Place       *Place
	Began       time.Time
	SessionID   string // of the conversation that it is in; empty: none
	LeftOut     int    // files whose changes the model was not sent, since they may hold secrets
	Quiet       bool   // its outcome is the answer of a request

	Proposed bool // its edits wait for the user
	// The outcome, where it is over. A failure or an answer is to be read.
	Over    bool
	Stopped transcript.StopReason
	Failed  *Text // why it failed
	Answer  string
	Help    []Action
}

// Title says what a task does.
func (t Task) Title() Text { return say("task."+t.What, "name", t.Name) }

// ToRead reports whether a task that is over has something that the user has to read.
func (t Task) ToRead() bool {
	return t.Over && !t.Quiet && t.SessionID == "" && (t.Failed != nil || t.Stopped != transcript.StopCancelled && !t.Proposed)
}

// NotSent says what the model was not sent; nil: nothing is left out.
func (t Task) NotSent() *Text {
	if t.LeftOut == 0 {
		return nil
	}
	return new(say("task.left_out", "n", t.LeftOut))
}

// Item returns the task as the window's view has it.
func (t Task) Item() Item {
	i := Item{ID: t.ID, Kind: KindTask, State: Running, Look: t.What, Title: t.Title(), Place: t.Place, At: clock(t.Began), Actions: byID(Stop)}
	if t.Instruction != "" {
		i.Note = new(say("task.instruction", "instruction", t.Instruction))
	}
	if left := t.NotSent(); left != nil {
		i.Lines = []Line{{ID: "left_out", Text: *left, Look: "warning"}}
	}
	if t.SessionID != "" {
		i.Actions = append(i.Actions, Action{ID: "show", Title: say("task.show"), Look: "show", Steps: []Step{{Show: t.SessionID}}})
	}
	if !t.Over {
		if t.Proposed {
			i.State, i.Note = Waiting, new(say("task.proposed"))
		}
		return i
	}
	i.Actions = append(append([]Action{}, t.Help...), byID(Dismiss)...)
	why := say("task.nothing")
	if code := "stop." + strings.TrimPrefix(string(t.Stopped), "_emendo/"); phrase.English(code) != "" {
		why = say(code)
	}
	switch {
	case t.Failed != nil:
		i.State, i.Note = Failed, t.Failed
	case t.Stopped == transcript.StopCancelled:
		i.State, i.Note, i.Actions = Cancelled, &why, nil
	case t.Proposed:
		i.State, i.Note, i.Actions = Done, nil, nil
	default:
		i.State, i.Note = Done, &why
	}
	if t.Answer != "" && !t.Proposed {
		i.Parts = []Part{{Kind: Markdown, Text: t.Answer}}
	}
	return i
}
