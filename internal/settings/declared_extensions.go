package settings

var extensionSettings = []setting{
	{
		key:    "extensions.disabled",
		doc:    "Names of [extensions](extensions.md) not to use. `emendo extensions disable` adds to your list. Layers add to the list.",
		joined: true,
	},
}
