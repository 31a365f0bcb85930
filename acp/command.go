package acp

import (
	"github.com/emendo-dev/emendo/agent/transcript"
)

// AvailableCommand is a slash command as the wire has it.
type AvailableCommand struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Input       *CommandInput `json:"input,omitempty"` // nil: nothing stands behind the name
}

// CommandInput says what may stand behind a command's name.
type CommandInput struct {
	Hint string `json:"hint"`
}

// Commands maps the agent's; there is always a list.
func Commands(cs []transcript.Command) []AvailableCommand {
	l := make([]AvailableCommand, len(cs))
	for i, c := range cs {
		l[i] = AvailableCommand{Name: c.Name, Description: c.Description}
		if c.Hint != "" {
			l[i].Input = &CommandInput{c.Hint}
		}
	}
	return l
}
