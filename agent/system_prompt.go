package agent

import (
	"context"
	"slices"

	"github.com/emendo-dev/emendo/agent/briefing"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/prompt"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// instructions are what goes before the conversation: they stay the same for all
// requests of a turn, so that the provider's cache holds.
type instructions struct {
	files   []prompt.File
	modules []prompt.Module
	specs   []model.Tool

	trusted bool                  // as it was when they were made
	left    transcript.Exclusions // likewise
}

// instruct returns the instructions of the turn. They are made again only when
// the user has taken something away meanwhile: trust, or a part of the context.
func (t *turn) instruct(ctx context.Context) instructions {
	s := t.session
	trusted, left := s.Trusted(), s.leftOut()
	if have := t.instructed; have != nil && have.trusted == trusted && slices.Equal(have.left, left) {
		return *have
	}
	if t.instructed == nil {
		t.modeGiven = s.Info().Mode
	}
	in := instructions{files: s.briefing.Files(ctx), trusted: trusted, left: left}
	in.modules, in.specs = t.systemPrompt(in.files)
	t.instructed = &in
	return in
}

// systemPrompt puts the system prompt together as the mode, the trust, the files
// and the tools are now. It returns the tools too.
func (t *turn) systemPrompt(files []prompt.File) ([]prompt.Module, []model.Tool) {
	s := t.session
	a := s.agent.client.Abilities()
	f := prompt.Facts{
		Mode: string(s.Info().Mode), Trusted: s.Trusted(), Watched: a.Asks || a.Reviews, Git: s.underGit(), Plans: t.plansAt(), Files: files,
	}
	specs := t.toolSpecs()
	for _, tool := range specs {
		f.Tools = append(f.Tools, tool.Name)
	}
	if f.Runs() {
		f.Sandbox = s.agent.o.Commands.Level()
	}
	ms := prompt.Build(f, s.agent.o.Prompt)
	s.agent.writePrompt(ms)
	return ms, specs
}

// writePrompt writes the first system prompt out where the user wants that.
func (a *Agent) writePrompt(ms []prompt.Module) {
	if a.o.WritePrompt == nil {
		return
	}
	a.promptWritten.Do(func() {
		if err := a.o.WritePrompt(prompt.Text(prompt.Own(ms))); err != nil {
			a.log.Warn("the system prompt was not written", "err", err)
		}
	})
}

// underGit reports whether the session's folder is in a git repository.
func (s *Session) underGit() bool {
	root, _ := briefing.RepositoryOf(s.started.Cwd)
	return root != ""
}
