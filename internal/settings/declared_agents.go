package settings

var agentSettings = []setting{
	{
		key:     "agents.enabled",
		doc:     "Let the model hand tasks to [agents](agents.md).",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Agents.Enabled },
		initial: true,
	},
	{
		key:     "agents.disabled",
		doc:     "Names of agents not to offer. Layers add to the list.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Agents.Disabled },
		initial: []string{}, joined: true,
	},
}
