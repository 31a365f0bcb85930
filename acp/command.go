package acp

import (
	"github.com/emendo-dev/emendo/agent/transcript"
)

// AvailableCommand is the wire form of a slash command.
type AvailableCommand struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Input       *CommandInput `json:"input,omitempty"` // nil: the command takes no input
}

// CommandInput describes the input of a command.
type CommandInput struct {
	Hint string `json:"hint"`
}

// Commands converts the agent's commands. The list is never nil.
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
