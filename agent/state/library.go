package state

import (
	"context"

	"github.com/emendo-dev/emendo/agent/transcript"
)

// A Library is a supply whose servers have prompts and resources that the user can
// name. Prompt and Mentioned are called in a turn, and not while tools are asked for;
// they start servers that are needed.
type Library interface {
	// Prompts returns the prompts as slash commands, SERVER:PROMPT, as far as their
	// servers are ready. It is safe for use by several goroutines, as is MayHave.
	Prompts() []transcript.Command
	// MayHave reports whether a prompt of that name exists, or its server is configured
	// and not known to lack it.
	MayHave(name string) bool
	// Prompt returns a prompt as the model reads it, with the arguments that the user
	// typed: first its text, then what is attached.
	Prompt(ctx context.Context, a Asker, name, args string) ([]transcript.Given, error)
	// Mentioned returns the resources among words that stand behind an @ in a prompt,
	// SERVER:URI, and a notice for each that is not sent.
	Mentioned(ctx context.Context, a Asker, words []string) ([]transcript.Given, []transcript.Notice)
}

// Library returns the session's library; nil if it has none.
func (s *Session) Library() Library {
	for _, supply := range s.Supplies {
		if l, ok := supply.(Library); ok {
			return l
		}
	}
	return nil
}
