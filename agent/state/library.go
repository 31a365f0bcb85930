package state

import (
	"context"

	"github.com/emendo-dev/emendo/agent/transcript"
)

// A Library is a supply with prompts and resources that the user can name. Prompt
// and Mentioned start the servers that they need; they are called in a turn, but
// not during Tools.
type Library interface {
	// Prompts returns the prompts of the servers that are ready as slash commands,
	// SERVER:PROMPT. It is safe for concurrent use, as is MayHave.
	Prompts() []transcript.Command
	// MayHave reports whether a prompt of that name exists or may exist: its server
	// is configured and not known to lack it.
	MayHave(name string) bool
	// Prompt returns a prompt for the model, with the arguments that the user
	// typed: its text first, then its attachments.
	Prompt(ctx context.Context, a Asker, name, args string) ([]transcript.Given, error)
	// Mentioned returns the resources that @words of a prompt name as SERVER:URI,
	// and a notice for each that is not sent.
	Mentioned(ctx context.Context, a Asker, words []string) ([]transcript.Given, []transcript.Notice)
}

// Library returns the session's library; nil if it has none.
func (s *Session) Library() Library { return supplyOf[Library](s) }
