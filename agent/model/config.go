package model

import (
	"slices"
	"strconv"
)

// Config tunes generation. The zero value leaves everything to the provider. A
// provider omits parameters that the model does not support.
type Config struct {
	Temperature   *float32
	TopP          *float32
	TopK          *float32
	MaxTokens     int32 // 0: the provider's own limit
	StopSequences []string
	Seed          *int32

	ThinkingBudget  *int32 // tokens; 0: no thinking, -1: as many as the model likes
	ThinkingLevel   string // "LOW", "HIGH" or another that the provider knows; models with levels ignore the budget
	IncludeThoughts *bool  // nil: thoughts are shown if the model has any
}

// Decimal returns the number that a user means with a float32: 0.7, not 0.699999988079071.
func Decimal(f float32) float64 {
	out, _ := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'g', -1, 32), 64) // it was just written
	return out
}

// Over returns base with the fields that c sets replaced.
func (c Config) Over(base Config) Config {
	override(&base.Temperature, c.Temperature)
	override(&base.TopP, c.TopP)
	override(&base.TopK, c.TopK)
	override(&base.Seed, c.Seed)
	override(&base.ThinkingBudget, c.ThinkingBudget)
	override(&base.IncludeThoughts, c.IncludeThoughts)
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

func override[T any](under **T, over *T) {
	if over != nil {
		*under = over
	}
}
