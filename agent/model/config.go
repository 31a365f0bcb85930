package model

import "slices"

// Config tunes generation. The zero value leaves everything to the provider. A
// provider leaves out what the model at hand has no word for.
type Config struct {
	Temperature   *float32
	TopP          *float32
	TopK          *float32
	MaxTokens     int32 // 0: the provider's own limit
	StopSequences []string
	Seed          *int32

	ThinkingBudget  *int32 // tokens; 0: no thinking, -1: as many as the model likes
	ThinkingLevel   string // "LOW", "HIGH" or another that the provider knows; models that have levels heed no budget
	IncludeThoughts *bool  // nil: thoughts are shown where the model has any
}

// Over lays c over base: what c says holds, and base where c says nothing.
func (c Config) Over(base Config) Config {
	lay(&base.Temperature, c.Temperature)
	lay(&base.TopP, c.TopP)
	lay(&base.TopK, c.TopK)
	lay(&base.Seed, c.Seed)
	lay(&base.ThinkingBudget, c.ThinkingBudget)
	lay(&base.IncludeThoughts, c.IncludeThoughts)
	if c.MaxTokens != 0 {
		base.MaxTokens = c.MaxTokens
	}
	if c.ThinkingLevel != "" {
		base.ThinkingLevel = c.ThinkingLevel
	}
	if c.StopSequences != nil {
		base.StopSequences = slices.Clone(c.StopSequences)
	}
	return base
}

func lay[T any](under **T, over *T) {
	if over != nil {
		*under = over
	}
}
