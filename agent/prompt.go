package agent

import (
	"path/filepath"

	"github.com/emendo-dev/emendo/agent/prompt"
)

// systemPrompt is put together anew for every request, so that it is true of
// the mode, the trust and the files that hold now.
func (t *turn) systemPrompt() []prompt.Module {
	s := t.session
	a := s.agent.client.Abilities()
	f := prompt.Facts{
		Mode: string(s.Info().Mode), Trusted: s.Trusted(), Watched: a.Asks || a.Reviews, Git: s.underGit(),
	}
	for _, tool := range t.toolSpecs() {
		f.Tools = append(f.Tools, tool.Name)
	}
	return prompt.Build(f, s.agent.o.Prompt)
}

// underGit says whether one of the session's folders is a repository's.
func (s *Session) underGit() bool {
	for _, r := range s.tree.Folders() {
		if p, err := s.tree.Resolve(filepath.Join(r, ".git")); err == nil {
			if _, err := s.tree.Stat(p); err == nil {
				return true
			}
		}
	}
	return false
}
