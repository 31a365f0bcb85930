package slash

import (
	"context"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// served returns the prompts of MCP servers whose names are not taken.
func served(s *state.Session, others []transcript.Command) (l []transcript.Command) {
	library := s.Library()
	if library == nil || !s.Trusted() {
		return nil
	}
	for _, c := range library.Prompts() {
		if !slices.ContainsFunc(others, func(o transcript.Command) bool { return o.Name == c.Name }) {
			l = append(l, c)
		}
	}
	return l
}

// ForModel reports whether the command expands to a prompt for the model.
func (c *Command) ForModel() bool { return c.Custom != nil || c.Served }

// Expand returns what the model reads in place of the typed command. The first part
// is the prompt.
func (c *Command) Expand(ctx context.Context, s *state.Session, typed string, h CommandHost, a state.Asker) ([]transcript.Given, error) {
	if !c.Served {
		text, err := c.Custom.Expand(ctx, typed, c.Args, h)
		return []transcript.Given{{Kind: transcript.KindCommand, Source: c.Custom.File, Text: text}}, err
	}
	library := s.Library()
	if library == nil {
		return nil, fmt.Errorf("%w /%s", ErrUnknown, c.Name)
	}
	return library.Prompt(ctx, a, c.Name, c.Args)
}

// Resources returns the MCP resources that a prompt names, and a notice for each
// that is not sent.
func Resources(ctx context.Context, s *state.Session, p state.Prompt, a state.Asker) ([]transcript.Given, []transcript.Notice) {
	library := s.Library()
	if library == nil || !s.Trusted() || p.Exclude.Excludes(transcript.GivenLinked, "") {
		return nil, nil
	}
	var words []string
	for _, b := range p.Blocks {
		if b.Said() {
			words = append(words, briefing.Mentions(b.Text)...)
		}
	}
	if len(words) == 0 {
		return nil, nil
	}
	return library.Mentioned(ctx, a, words)
}

// Announce sends the session's slash commands if they have changed since the client
// last got them.
func Announce(ctx context.Context, s *state.Session, emit func(transcript.Event)) {
	known := s.Announced
	if known == nil {
		known = BuiltIn() // the client has these from the start
	}
	s.AnnouncedServed = served(s, nil)
	if now := All(ctx, s); !slices.Equal(now, known) {
		s.Announced = now
		emit(transcript.CommandsChanged{Commands: now})
	}
}

// AnnounceServed is like [Announce] when only prompts of MCP servers can have
// changed: if they have not, it reads no files.
func AnnounceServed(ctx context.Context, s *state.Session, emit func(transcript.Event)) {
	if !slices.Equal(served(s, nil), s.AnnouncedServed) {
		Announce(ctx, s, emit)
	}
}
