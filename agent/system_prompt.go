package agent

import (
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/prompt"
)

// systemPrompt is put together anew for every request, so that it is true of
// the mode, the trust, the files and the tools that hold now, which it gives too.
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
		f.Sandbox = s.agent.heldAt()
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
	root, _ := repositoryOf(s.started.Cwd)
	return root != ""
}
