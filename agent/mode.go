package agent

import "fmt"

// Mode says what a session may do without asking.
type Mode string

// The modes.
const (
	Default  Mode = "default"   // asks
	AutoEdit Mode = "auto_edit" // edits apply at once and stay reviewable
	PlanMode Mode = "plan"      // reads only
	Yolo     Mode = "yolo"      // asks nothing
)

// ModeInfo is a mode as users are told of it.
type ModeInfo struct {
	ID          Mode
	Name        string
	Description string
}

// Modes are all modes, the safest choice for daily use first.
func Modes() []ModeInfo {
	return []ModeInfo{
		{Default, "Ask", "Edits wait for your review, commands ask first."},
		{AutoEdit, "Edit freely", "Edits apply at once and can be taken back; commands ask first."},
		{PlanMode, "Plan", "Reads and plans, and changes nothing until you approve the plan."},
		{Yolo, "Ask nothing", "Edits and commands run without a question, except what could harm beyond the workspace."},
	}
}

// ParseMode checks the name of a mode.
func ParseMode(s string) (Mode, error) {
	for _, m := range Modes() {
		if string(m.ID) == s {
			return m.ID, nil
		}
	}
	return "", fmt.Errorf("there is no mode %q; there are default, auto_edit, plan and yolo", s)
}

// acts says that the mode changes things without a question, which only a
// trusted folder allows.
func (m Mode) acts() bool { return m == AutoEdit || m == Yolo }

// modeChange describes to the model the mode that the user switched to while
// the turn runs; the system prompt stays as it was until the next turn.
var modeChange = map[Mode]string{
	Default:  "The user switched to default mode: edits and commands need approval from now on.",
	AutoEdit: "The user switched to auto_edit mode: edits apply at once from now on; commands need approval unless a rule allows them.",
	PlanMode: "The user switched to plan mode: from now on read and plan only. Edits and commands are denied.",
	Yolo:     "The user switched to yolo mode: calls run without approval from now on, except what rules deny or always ask about.",
}

// giveMode describes the mode to the model when it has changed since the model
// last read of it.
func (t *turn) giveMode() {
	mode := t.session.Info().Mode
	if mode == t.modeGiven {
		return
	}
	t.modeGiven = mode
	text := modeChange[mode]
	if plans := t.plansAt(); plans != "" {
		text += " Write the plan as a .md file in " + plans + ", and present it with exit_plan_mode."
	}
	t.emit(Given{MessageID: t.lastMessage(), Kind: kindMode, Text: enclose("mode", text)})
}
