package settings

var extensionSettings = []setting{
	{
		key:     "extensions.disabled",
		doc:     "Names of [extensions](extensions.md) not to use. `emendo extensions disable` adds to your list. Layers add to the list.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Extensions.Disabled },
		initial: []string{}, joined: true,
	},
}
