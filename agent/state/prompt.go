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

// Text is what the prompt says in words.
func (p Prompt) Text() string {
	var l []string
	for _, b := range p.Blocks {
		if b.Type == transcript.TextBlock {
			l = append(l, b.Text)
		}
	}
	return strings.Join(l, "\n")
}

// Prompt is what the user asks.
type Prompt struct {
	Blocks []transcript.Block
	// Snapshot is the workspace as it was when the prompt came; nil: as it is.
	Snapshot *ide.Snapshot
	// Focus is where the user was then; nil leaves the editor's context out.
	Focus *frontend.Focus
	// Exclude leaves parts of the context out of this prompt alone.
	Exclude transcript.Exclusions
	// Folders were added to the workspace by the user; the session takes them in.
	Folders []string
	// MaxSteps bounds the model requests of this turn; 0: the agent's bound,
	// negative: nothing does.
	MaxSteps int
	// Budget bounds what the turn uses; the zero Budget does not.
	Budget Budget
	// Begun, when not nil, is called once the turn has its id, before anything
	// of it is shown.
	Begun func(turnID string)

	MessageID string // of one that was injected
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

// Ended is how a turn ended.
type Ended struct {
	TurnID     string
	StopReason transcript.StopReason
	Usage      transcript.Usage       // of the turn
	Models     map[string]model.Usage // what each model's answers cost
	Text       string                 // of the last response that has any
	Incomplete string                 // why the answer was cut off; empty: it was not
	Halted     string                 // why a hook ended it; empty: none did
	Spent      string                 // how its budget was used up; empty: it was not
}

// Check returns an error for a prompt that says nothing.
func (p Prompt) Check() error {
	if !slices.ContainsFunc(p.Blocks, func(b transcript.Block) bool { return b.Part() != nil }) {
		return transcript.ErrNoPrompt
	}
	for _, b := range p.Blocks {
		if !b.Type.Known() {
			return fmt.Errorf("unknown type of a prompt's block: %q", b.Type)
		}
	}
	return nil
}
