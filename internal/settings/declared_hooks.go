package settings

var hookSettings = []setting{
	hookSetting("BeforeTool", "before a tool call, and can change it, deny it or ask the user about it; `matcher` is a regular expression for the tool's name", func(s *Settings) any { return &s.Hooks.BeforeTool }),
	hookSetting("AfterTool", "after a tool call, and can add to its result or withhold it; `matcher` as for `BeforeTool`", func(s *Settings) any { return &s.Hooks.AfterTool }),
	hookSetting("BeforeAgent", "before a turn; the model reads their `additionalContext` with the prompt", func(s *Settings) any { return &s.Hooks.BeforeAgent }),
	hookSetting("AfterAgent", "after a turn, and can continue it with a reason", func(s *Settings) any { return &s.Hooks.AfterAgent }),
	hookSetting("SessionStart", "before the first turn of a session in a process; `matcher` is `startup` or `resume`", func(s *Settings) any { return &s.Hooks.SessionStart }),
	hookSetting("SessionEnd", "when a session ends; `matcher` is `exit` or `other`", func(s *Settings) any { return &s.Hooks.SessionEnd }),
	hookSetting("PreCompress", "before the older part of a conversation is summarized; `matcher` is `auto` or `manual`", func(s *Settings) any { return &s.Hooks.PreCompress }),
	hookSetting("BeforeModel", "before each model request, and can change or answer it", func(s *Settings) any { return &s.Hooks.BeforeModel }),
	hookSetting("AfterModel", "after each chunk of a model's answer, and can replace its text", func(s *Settings) any { return &s.Hooks.AfterModel }),
	hookSetting("BeforeToolSelection", "before each model request, and select the tools that it offers", func(s *Settings) any { return &s.Hooks.BeforeToolSelection }),
	hookSetting("Notification", "when the user is asked for permission", func(s *Settings) any { return &s.Hooks.Notification }),
	{
		key:     "hooksConfig.enabled",
		doc:     "Run hooks.",
		scope:   user,
		field:   func(s *Settings) any { return &s.HooksConfig.Enabled },
		initial: true,
	},
	{
		key:     "hooksConfig.disabled",
		doc:     "Hooks to disable, by name, or by command for hooks without a name. Layers add to the list.",
		scope:   user,
		field:   func(s *Settings) any { return &s.HooksConfig.Disabled },
		initial: []string{}, joined: true,
	},
	{
		key:     "hooksConfig.outsideSandbox",
		doc:     "Hooks of projects that run outside the sandbox with your full permissions, each by its exact `command` in the project's settings. Layers add to the list.",
		scope:   user,
		field:   func(s *Settings) any { return &s.HooksConfig.Outside },
		initial: []string{}, joined: true,
	},
	{
		key:     "hooksConfig.notifications",
		doc:     "Show a notice for every hook that ran. Failures and messages of hooks are always shown.",
		scope:   user,
		field:   func(s *Settings) any { return &s.HooksConfig.Notifications },
		initial: true,
	},
}

// hookSetting declares the hooks of one event.
func hookSetting(event, when string, field func(*Settings) any) setting {
	return setting{
		key:    "hooks." + event,
		doc:    "Commands that run " + when + ". Layers add to the list; each command of a project needs your approval first. See [hooks.md](hooks.md).",
		scope:  anyone,
		field:  field,
		object: "a list of definitions",
		valid:  func(s *Settings) error { return checkHooks(*field(s).(*[]HookDefinition)) },
		doubt:  func(s *Settings) string { return doubtHooks(event, *field(s).(*[]HookDefinition)) },
		add:    func(s *Settings, value any, l layer) { addHooks(field(s).(*[]HookDefinition), value, l) },
	}
}
