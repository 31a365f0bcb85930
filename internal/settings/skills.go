package settings

// Skills says which skills the model is offered.
type Skills struct {
	// Offer [skills](skills.md) to the model.
	Enabled bool `default:"true" scope:"any"`
	// Names of skills not to offer. Layers add to the list.
	Disabled []string `scope:"any" how:"joined"`
}
