package policy

import "fmt"

// ModeInfo describes a mode to users.
type ModeInfo struct {
	ID          Mode   `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Modes returns all modes, the safest first.
func Modes() []ModeInfo {
	return []ModeInfo{
		{Default, "Ask", "Edits wait for your review, commands ask first."},
		{AutoEdit, "Edit freely", "Edits apply at once and can be undone; commands ask first."},
		{Plan, "Plan", "Reads and plans, and changes nothing until you approve the plan."},
		{Yolo, "Ask nothing", "Edits and commands run without a question, except what could harm beyond the workspace."},
	}
}

// ParseMode returns the mode of that name.
func ParseMode(s string) (Mode, error) {
	for _, m := range Modes() {
		if string(m.ID) == s {
			return m.ID, nil
		}
	}
	return "", fmt.Errorf("unknown mode %q: want default, auto_edit, plan or yolo", s)
}

// Acts reports whether the mode changes things without asking, which only a
// trusted folder allows.
func (m Mode) Acts() bool { return m == AutoEdit || m == Yolo }
