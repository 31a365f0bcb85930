package settings

var toolSettings = []setting{
	{
		key:     "tools.allowed",
		doc:     "Calls that are made without a question: names of tools, or `run_shell_command(PREFIX)` for the commands that begin with PREFIX.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Tools.Allowed },
		initial: []string{},
	},
	{
		key:     "tools.exclude",
		doc:     "Tools that the model is not offered. Every layer adds to the list.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Exclude },
		initial: []string{}, joined: true,
	},
	{
		key:     "tools.shell.timeoutSeconds",
		doc:     "How long a command may run before it is killed.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Shell.Timeout },
		initial: 600, least: 1, most: maxSeconds,
	},
	{
		key:     "tools.shell.inactivityTimeout",
		doc:     "How many seconds a command may print nothing before it is killed.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Tools.Shell.Inactivity },
		initial: 120, least: 1, most: maxSeconds,
	},
}
