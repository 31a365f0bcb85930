package tuning

import "github.com/emendo-dev/emendo/agent/model"

func ptr[T any](v T) *T { return &v }

// small are the values of a question whose answer is short, and should be the
// same each time.
func small(name string, longest, thinking int32) Preset {
	v := Values{Model: name, Config: model.Config{MaxTokens: longest}}
	if thinking >= 0 {
		v.Config.ThinkingBudget = ptr(thinking)
	}
	return Preset{Extends: "base", Values: v}
}

// asLong stands for a question that may be thought about as long as the model
// likes, and its answer as long as it gets.
const asLong = -1

// builtIn are the presets and numbers of Gemini CLI, by the names it gives them.
var builtIn = map[string]Preset{
	"base": {Values: Values{Config: model.Config{Temperature: ptr[float32](0), TopP: ptr[float32](1), IncludeThoughts: ptr(false)}}},
	"chat-base": {Extends: "base", Values: Values{Config: model.Config{
		Temperature: ptr[float32](1), TopP: ptr[float32](0.95), TopK: ptr[float32](64), IncludeThoughts: ptr(true),
	}}},
	"chat-base-2.5": {Extends: "chat-base", Values: Values{Config: model.Config{ThinkingBudget: ptr[int32](8192)}}},
	"chat-base-3":   {Extends: "chat-base", Values: Values{Config: model.Config{ThinkingLevel: "HIGH"}}},

	string(model.Classifier):  small(model.Gemini25.Lite, 1024, 512),
	string(model.LoopJudge):   small(model.Gemini25.Fast, 0, asLong),
	string(model.SecondJudge): small(model.Gemini25.Strong, 0, asLong),
	string(model.NextSpeaker): small(model.Gemini25.Fast, 0, asLong),
	string(model.Summarizer):  small(model.Gemini25.Lite, 2000, asLong),
}

// builtInOverrides have a model that repeats itself try another way.
var builtInOverrides = []Override{
	{Match{Model: "chat-base", Retry: ptr(true)}, Values{Config: model.Config{Temperature: ptr[float32](1)}}},
}

// chatBase is the preset of a model in a conversation.
func chatBase(name string) string {
	family, ok := model.FamilyOf(name)
	switch {
	case ok && family == model.Gemini3:
		return "chat-base-3"
	case ok:
		return "chat-base-2.5"
	}
	return "chat-base"
}
