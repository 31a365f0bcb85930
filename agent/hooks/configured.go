package hooks

import (
	"time"

	"github.com/emendo-dev/emendo/internal/settings"
)

// Configured returns the hooks in the settings. Only hooks of type command are
// supported.
func Configured(s settings.Settings) Config {
	c := Config{Disabled: s.HooksConfig.Disabled, Outside: s.HooksConfig.Outside, Off: !s.HooksConfig.Enabled, Quiet: !s.HooksConfig.Notifications}
	for event, list := range s.Hooks.ByEvent() {
		for _, d := range list {
			for i, h := range d.Hooks {
				if h.Type != "command" {
					continue
				}
				c.Hooks = append(c.Hooks, Hook{
					Event: Event(event), Source: d.Origin, Folder: d.Folder, Extension: d.Extension, Home: d.Home, Name: h.Name, Description: h.Description, Command: h.Command,
					Timeout: time.Duration(h.Timeout * float64(time.Millisecond)), Env: h.Env, Matcher: d.Matcher, Sequential: d.Sequential, Sandbox: h.Sandbox,
					Definition: d.Place, Place: i,
				})
			}
		}
	}
	return c
}
