package state

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
)

// Text returns the text of the prompt.
func (p Prompt) Text() string {
	var l []string
	for _, b := range p.Blocks {
		if b.Type == transcript.TextBlock {
			l = append(l, b.Text)
		}
	}
	return strings.Join(l, "\n")
}

// IsReview reports whether the turn looks for problems in changes, which it can report, and
// only reads. Its blocks say so, so that it still is one when it is sent again.
func (p Prompt) IsReview() bool {
	return slices.ContainsFunc(p.Blocks, func(b transcript.Block) bool {
		return b.Mention != nil && b.Mention.Kind == transcript.MentionReview
	})
}

// Prompt is a prompt of the user.
type Prompt struct {
	Blocks []transcript.Block
	// Snapshot is the workspace at the time of the prompt; nil: the current one.
	Snapshot *ide.Snapshot
	// Focus is the user's position at that time; nil leaves the editor's context
	// out.
	Focus *frontend.Focus
	// Exclude leaves parts of the context out of this prompt only.
	Exclude transcript.Exclusions
	// Folders are workspace folders that the user has added; the session adds them
	// too.
	Folders []string
	// MaxSteps limits the model requests of this turn; 0: the agent's limit,
	// negative: no limit.
	MaxSteps int
	// Budget limits the usage of the turn; the zero Budget does not.
	Budget Budget
	// Relayed prompts come from a program that only speaks for a user: they are no slash
	// commands, which change modes, models and memory.
	Relayed bool
	// Begun, if not nil, is called once the turn has its ID, before it shows
	// anything.
	Begun func(turnID string)

	MessageID string // of an injected prompt
}

// ActivePath returns the path of the file that is active in the editor, or "".
func (p Prompt) ActivePath() string {
	if p.Focus == nil || p.Snapshot == nil {
		return ""
	}
	if d := p.Snapshot.Document(p.Focus.Active); d != nil {
		return d.Path
	}
	return ""
}

// Ended is the result of a turn.
type Ended struct {
	TurnID     string
	StopReason transcript.StopReason
	Usage      transcript.Usage       // of the turn
	Models     map[string]model.Usage // what each model's answers cost
	Text       string                 // of the last response that has any
	Incomplete string                 // why the answer was cut off; empty: it is complete
	Halted     string                 // why a hook ended the turn; empty: no hook did
	Spent      string                 // how the budget was used up; empty: it was not
}

// Check returns an error if the prompt is empty or invalid.
func (p Prompt) Check() error {
	if !slices.ContainsFunc(p.Blocks, func(b transcript.Block) bool { return b.Part() != nil }) {
		return transcript.ErrNoPrompt
	}
	for _, b := range p.Blocks {
		if !b.Type.Known() {
			return fmt.Errorf("unknown type of prompt block: %q", b.Type)
		}
	}
	return nil
}
