package extension

import (
	"slices"

	"github.com/emendo-dev/emendo/internal/settings"
)

// Extender returns a function that adds to settings the hooks and the excluded tools of
// the extensions that are used. config and gemini are the folders of the user's
// configuration and of Gemini CLI's. It is for [settings.Options].
func Extender(config, gemini string) func(s *settings.Settings, project string) []settings.Warning {
	return func(s *settings.Settings, project string) []settings.Warning {
		l := Find(Options{Config: config, Gemini: gemini, Project: project, Disabled: s.Extensions.Disabled})
		wrong := l.Problems
		for _, e := range l.Used() {
			wrong = append(wrong, e.Problems...)
			*s = s.WithHooks(e.Hooks)
			s.Tools.Exclude = slices.Concat(s.Tools.Exclude, e.Exclude)
		}
		return wrong
	}
}
