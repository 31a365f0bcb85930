package model

// Link is one model in a chain of models that may replace each other.
type Link struct {
	Model string // the provider's name
	Role  string // what the model is used for; models of one role are equivalent

	// Open means that the user left the choice to emendo. When the key may not use
	// this model, the next link takes over without asking.
	Open bool

	// Retried limits a failure of the model to the current turn, unless the failure
	// is known to last.
	Retried bool
}
