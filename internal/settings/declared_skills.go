package settings

var skillSettings = []setting{
	{
		key:     "skills.enabled",
		doc:     "Offer [skills](skills.md) to the model.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Skills.Enabled },
		initial: true,
	},
	{
		key:     "skills.disabled",
		doc:     "Names of skills not to offer. Layers add to the list.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Skills.Disabled },
		initial: []string{}, joined: true,
	},
}
