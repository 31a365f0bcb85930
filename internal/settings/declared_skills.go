package settings

// Skills says which skills the model is offered.
type Skills struct {
	Enabled  bool
	Disabled []string // their names
}

var skillSettings = []setting{
	{
		key:     "skills.enabled",
		doc:     "Offer [skills](skills.md) to the model.",
		scope:   anyone,
		initial: true,
	},
	{
		key:    "skills.disabled",
		doc:    "Names of skills not to offer. Layers add to the list.",
		scope:  anyone,
		joined: true,
	},
}
