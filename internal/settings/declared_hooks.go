package settings

var hookSettings = []setting{
	hookSetting("BeforeTool", "before a tool call, and can change it, deny it or ask the user about it; `matcher` is a regular expression for the tool's name"),
	hookSetting("AfterTool", "after a tool call, and can add to its result or withhold it; `matcher` as for `BeforeTool`"),
	hookSetting("BeforeAgent", "before a turn; the model reads their `additionalContext` with the prompt"),
	hookSetting("AfterAgent", "after a turn, and can continue it with a reason"),
	hookSetting("SessionStart", "before the first turn of a session in a process; `matcher` is `startup` or `resume`"),
	hookSetting("SessionEnd", "when a session ends; `matcher` is `exit` or `other`"),
	hookSetting("PreCompress", "before the older part of a conversation is summarized; `matcher` is `auto` or `manual`"),
	hookSetting("BeforeModel", "before each model request, and can change or answer it"),
	hookSetting("AfterModel", "after each chunk of a model's answer, and can replace its text"),
	hookSetting("BeforeToolSelection", "before each model request, and select the tools that it offers"),
	hookSetting("Notification", "when the user is asked for permission"),
	{
		key:     "hooksConfig.enabled",
		doc:     "Run hooks.",
		initial: true,
	},
	{
		key:    "hooksConfig.disabled",
		doc:    "Hooks to disable, by name, or by command for hooks without a name. Layers add to the list.",
		joined: true,
	},
	{
		key:    "hooksConfig.outsideSandbox",
		doc:    "Hooks of projects that run outside the sandbox with your full permissions, each by its exact `command` in the project's settings. Layers add to the list.",
		joined: true,
	},
	{
		key:     "hooksConfig.notifications",
		doc:     "Show a notice for every hook that ran. Failures and messages of hooks are always shown.",
		initial: true,
	},
}

// hookSetting declares the hooks of one event.
func hookSetting(event, when string) setting {
	return setting{
		key:    "hooks." + event,
		doc:    "Commands that run " + when + ". Layers add to the list; each command of a project needs your approval first. See [hooks.md](hooks.md).",
		scope:  anyone,
		object: "a list of definitions",
	}
}
