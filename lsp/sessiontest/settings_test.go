package sessiontest

import (
	"cmp"
	"encoding/json"
	"path/filepath"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/lsp"
)

// choosing returns the function that updates an agent's choices from some of the
// settings, as cmd does.
func (p *play) choosing(s lsp.Start, trusted func() bool) func(*state.Choices) {
	source := settings.NewSource(settings.Options{
		Paths: settings.Paths{Config: filepath.Join(p.state, "config"), System: filepath.Join(p.state, "etc")}, ProjectDir: p.dir,
	})
	steps := p.steps
	return func(c *state.Choices) {
		set, news := source.Read(trusted(), s.User.Settings(), s.User.Configuration())
		for _, n := range news {
			s.User.Warn(n)
		}
		set.Model.MaxSessionTurns = cmp.Or(steps, set.Model.MaxSessionTurns, 100)
		set.Edits.Wait = cmp.Or(p.waits, settings.WaitAlways) // most scripts decide while the call waits
		set.Context.IncludeDirectoryTree, set.Tools.Shell.Ask = p.folders, string(policy.AskOutside)
		c.Hooks, c.Settings = hooks.Configured(set), &set
	}
}

// settings writes the user's settings file.
func (p *play) settings(words string) error {
	text, _ := p.script.section(words)
	return write(filepath.Join(p.state, "config", "settings.json"), text)
}

// configure changes the editor's configuration and notifies the server.
func (p *play) configure(words string) error {
	text, _ := p.script.section(words)
	return p.editor.Notify("workspace/didChangeConfiguration", object{"settings": object{"emendo": json.RawMessage(text)}})
}
