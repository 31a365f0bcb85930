package main

import (
	"time"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/internal/settings"
)

// hooksOf are the hooks that the settings name.
func hooksOf(s settings.Settings) hooks.Config {
	c := hooks.Config{Disabled: s.HooksConfig.Disabled, Off: !s.HooksConfig.Enabled, Quiet: !s.HooksConfig.Notifications}
	for _, of := range []struct {
		event hooks.Event
		list  []settings.HookDefinition
	}{
		{hooks.BeforeTool, s.Hooks.BeforeTool},
		{hooks.AfterTool, s.Hooks.AfterTool},
		{hooks.BeforeAgent, s.Hooks.BeforeAgent},
		{hooks.AfterAgent, s.Hooks.AfterAgent},
		{hooks.SessionStart, s.Hooks.SessionStart},
		{hooks.SessionEnd, s.Hooks.SessionEnd},
		{hooks.PreCompress, s.Hooks.PreCompress},
		{hooks.BeforeModel, s.Hooks.BeforeModel},
		{hooks.AfterModel, s.Hooks.AfterModel},
		{hooks.BeforeToolSelection, s.Hooks.BeforeToolSelection},
		{hooks.Notification, s.Hooks.Notification},
	} {
		for _, d := range of.list {
			for i, e := range d.Hooks {
				if e.Type != "command" {
					continue // plugins and functions of a program are for Gemini CLI itself
				}
				c.Hooks = append(c.Hooks, hooks.Hook{
					Event: of.event, Source: sourceOf(d.Origin), Folder: d.Folder, Name: e.Name, Description: e.Description, Command: e.Command,
					Timeout: time.Duration(e.Timeout * float64(time.Millisecond)), Env: e.Env, Matcher: d.Matcher, Sequential: d.Sequential,
					Definition: d.Place, Place: i,
				})
			}
		}
	}
	return c
}

func sourceOf(o settings.Origin) hooks.Source {
	switch o {
	case settings.OfUser:
		return hooks.User
	case settings.OfProject:
		return hooks.Project
	case settings.OfSystem:
		return hooks.System
	}
	panic("unknown origin of a setting")
}
