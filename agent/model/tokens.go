package model

import "strings"

// ContextLimit is how many tokens of prompt and answer a model takes together.
// The figures are those Google publishes: 1,048,576 for Gemini, which also
// stands for models that are not known here, and 256,000 for Gemma 4.
func ContextLimit(model string) int64 {
	name := model[strings.LastIndexByte(model, '/')+1:]
	if strings.HasPrefix(name, "gemma-4") {
		return 256_000
	}
	return 1_048_576
}
