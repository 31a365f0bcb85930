package settings

import "math"

var toolSettings = []setting{
	{
		key:     "tools.allowed",
		doc:     "Calls that are made without a question: names of tools, or `run_shell_command(PREFIX)` for the commands that begin with PREFIX.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Tools.Allowed },
		initial: []string{},
	},
	{
		key:     "tools.confirmationRequired",
		doc:     "Calls that are asked about even where something else allows them, named as in `tools.allowed`.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Tools.Confirm },
		initial: []string{},
	},
	{
		key:     "tools.exclude",
		doc:     "Tools that the model is not offered, named as in `tools.allowed`. Every layer adds to the list.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Exclude },
		initial: []string{}, joined: true,
	},
	{
		key:     "tools.core",
		doc:     "The only tools that the model is offered, named as in `tools.allowed`; empty is all of them. What `tools.exclude` names is left out even so. A project's list counts only where nobody else has one.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Core },
		initial: []string{}, firm: true,
	},
	{
		key:     "tools.truncateToolOutputThreshold",
		doc:     "How many characters of one call's output the model is given; what is longer is kept in a file, of which it is told. -1 is as many as there is room for.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.LongOutput },
		initial: 40_000, least: -1, most: math.MaxInt32,
	},
	{
		key: "tools.sandbox",
		doc: "How commands are kept from what is outside the workspace: `auto` as firmly as this machine can, which `emendo doctor` tells, `required` likewise, " +
			"and no command runs where it cannot, `off` not at all, so that more is asked about.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Tools.Sandbox.Use },
		initial: "auto", oneOf: []string{"auto", "off", "required"},
	},
	{
		key:     "tools.sandboxAllowedPaths",
		doc:     "Files and folders outside the workspace that commands may read and change in their sandbox: absolute, or from the home folder on as `~/x`.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Tools.Sandbox.Allowed },
		initial: []string{},
	},
	{
		key: "tools.sandboxNetworkAccess",
		doc: "Which hosts commands reach from their sandbox, by HTTP and HTTPS: names, or `*.` and a domain for all names below it. `true` opens the network as you have it, `false` closes it. " +
			"Where only some hosts are open, a command is told of a proxy that leads to them; that takes level A.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Tools.Sandbox.Network },
		initial: []string{}, either: true,
	},
	{
		key:     "useWriteTodos",
		doc:     "Whether the model may keep a list of what is to be done, for you to watch.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.UseWriteTodos },
		initial: true,
	},
	{
		key:     "tools.shell.timeoutSeconds",
		doc:     "How long a command may run before it is killed, unless the model asks for less.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Shell.Timeout },
		initial: 600, least: 1, most: maxSeconds,
	},
	{
		key:     "tools.shell.inactivityTimeout",
		doc:     "How many seconds a command may print nothing before it is killed; 0 sets no limit. A command for which the model gave a time limit may be silent for all of it.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Shell.Inactivity },
		initial: 300, least: 0, most: maxSeconds,
	},
	{
		key:     "tools.shell.enableInteractiveShell",
		doc:     "Whether commands write to a terminal of 120 columns instead of a pipe, for programs that show their progress only there. Programs then also print in columns and cut long lines. Nothing can be typed in either case.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Shell.Watched },
		initial: false,
	},
	{
		key:     "tools.shell.backgroundCompletionBehavior",
		doc:     "What happens when a command in the background ends by itself: `silent` waits until the model looks, `notify` tells you at the next step, `inject` tells the model too, with the end of the output.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Shell.JobsEnd },
		initial: "silent", oneOf: []string{"silent", "notify", "inject"},
	},
}
