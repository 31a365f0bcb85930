package model

// Link is a model in a chain of those that may replace each other.
type Link struct {
	Model string // the provider's name
	Role  string // what the model is used for; models of a role are alike

	// Open says that the user left the choice to emendo: when the key may not
	// use this model, the next link takes over without a question.
	Open bool

	// Retried has the model asked again in the next turn, though it failed for
	// the rest of this one, unless its failure is known to last.
	Retried bool
}
