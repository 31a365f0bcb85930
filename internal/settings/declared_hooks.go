package settings

var hookSettings = []setting{
	hookSetting("BeforeTool", "before a call of the model's, which they may change, refuse or have the user asked about; `matcher` is a regular expression that the tool's name is searched for", func(s *Settings) any { return &s.Hooks.BeforeTool }),
	hookSetting("AfterTool", "behind a call, whose result they may add to or withhold; `matcher` as with `BeforeTool`", func(s *Settings) any { return &s.Hooks.AfterTool }),
	hookSetting("BeforeAgent", "before a turn; what they say as `additionalContext` the model reads with the prompt", func(s *Settings) any { return &s.Hooks.BeforeAgent }),
	hookSetting("AfterAgent", "behind a turn, which they may send on with a reason", func(s *Settings) any { return &s.Hooks.AfterAgent }),
	hookSetting("SessionStart", "before the first turn of a session in a process; `matcher` is `startup` or `resume`", func(s *Settings) any { return &s.Hooks.SessionStart }),
	hookSetting("SessionEnd", "when a session ends; `matcher` is `exit` or `other`", func(s *Settings) any { return &s.Hooks.SessionEnd }),
	hookSetting("PreCompress", "before the older part of a conversation is summed up; `matcher` is `auto` or `manual`", func(s *Settings) any { return &s.Hooks.PreCompress }),
	hookSetting("BeforeModel", "before each model request, which they may change or answer", func(s *Settings) any { return &s.Hooks.BeforeModel }),
	hookSetting("AfterModel", "behind each piece of a model's answer, whose text they may replace", func(s *Settings) any { return &s.Hooks.AfterModel }),
	hookSetting("BeforeToolSelection", "before each model request, to say which tools it offers", func(s *Settings) any { return &s.Hooks.BeforeToolSelection }),
	hookSetting("Notification", "when the user is asked for leave", func(s *Settings) any { return &s.Hooks.Notification }),
	{
		key:     "hooksConfig.enabled",
		doc:     "Whether hooks run at all.",
		scope:   user,
		field:   func(s *Settings) any { return &s.HooksConfig.Enabled },
		initial: true,
	},
	{
		key:     "hooksConfig.disabled",
		doc:     "Hooks that do not run: by name, those without one by their command. Every layer adds to the list.",
		scope:   user,
		field:   func(s *Settings) any { return &s.HooksConfig.Disabled },
		initial: []string{}, joined: true,
	},
	{
		key:     "hooksConfig.outsideSandbox",
		doc:     "Hooks of projects that run outside of the sandbox, with your rights, each by its `command` as the project's settings have it. Every layer adds to the list.",
		scope:   user,
		field:   func(s *Settings) any { return &s.HooksConfig.Outside },
		initial: []string{}, joined: true,
	},
	{
		key:     "hooksConfig.notifications",
		doc:     "Whether you are told of every hook that ran. Of failures, and of what hooks have to say to you, you are told in any case.",
		scope:   user,
		field:   func(s *Settings) any { return &s.HooksConfig.Notifications },
		initial: true,
	},
}

// hookSetting declares the hooks of one event.
func hookSetting(event, when string, field func(*Settings) any) setting {
	return setting{
		key:    "hooks." + event,
		doc:    "Commands that run " + when + ". Every layer adds to the list; those of a project run once you have approved each. How they are written: [hooks.md](hooks.md).",
		scope:  anyone,
		field:  field,
		object: "a list of definitions",
		valid:  func(s *Settings) error { return checkHooks(*field(s).(*[]HookDefinition)) },
		doubt:  func(s *Settings) string { return doubtHooks(event, *field(s).(*[]HookDefinition)) },
		add:    func(s *Settings, value any, l layer) { addHooks(field(s).(*[]HookDefinition), value, l) },
	}
}
