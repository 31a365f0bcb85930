package catalogue

import (
	"github.com/emendo-dev/emendo/agent/model"
)

// question returns the preset of a request outside of a conversation, whose answer
// should be reproducible. name is one that leaves the choice of the model to
// emendo. thinking is a budget in tokens, negative for no limit; longest bounds
// the answer, 0 for no bound.
func question(name string, longest, thinking int32) Preset {
	v := Values{Model: name, Config: model.Config{MaxTokens: longest}}
	if thinking >= 0 {
		v.Config.ThinkingBudget, v.Config.ThinkingLevel = new(thinking), "LOW"
	}
	return Preset{Extends: "base", Values: v}
}

// unlimited does not limit the thinking budget.
const unlimited = -1

// builtIn holds the presets of Gemini CLI, by its names and with its numbers.
var builtIn = map[string]Preset{
	"base": {Values: Values{Config: model.Config{Temperature: new(float32(0)), TopP: new(float32(1)), IncludeThoughts: new(false)}}},
	"chat-base": {Extends: "base", Values: Values{Config: model.Config{
		Temperature: new(float32(1)), TopP: new(float32(0.95)), TopK: new(float32(64)), IncludeThoughts: new(true),
	}}},
	"chat-base-2.5": {Extends: "chat-base", Values: Values{Config: model.Config{ThinkingBudget: new(int32(8192))}}},
	"chat-base-3":   {Extends: "chat-base", Values: Values{Config: model.Config{ThinkingLevel: "HIGH"}}},

	"chat": {Values: Values{Config: model.Config{IncludeThoughts: new(true)}}},

	string(model.Classifier):  question("flash-lite", 1024, 512),
	string(model.LoopJudge):   question("flash", 0, unlimited),
	string(model.SecondJudge): question("pro", 0, unlimited),
	string(model.NextSpeaker): question("flash", 0, unlimited),
	string(model.WebSearch):   question("flash", 0, unlimited),
	string(model.Summarizer):  question("flash-lite", 2000, unlimited),
}

// builtInOverrides raise the temperature of repeated requests.
var builtInOverrides = []Override{
	{Match{Model: "chat-base", Retry: new(true)}, Values{Config: model.Config{Temperature: new(float32(1))}}},
}

// chatBase returns the name of a model's preset for conversations.
func chatBase(name string) string {
	if g, ok := BuiltIn().GenerationOf(name); ok {
		return g.Preset
	}
	return "chat-base"
}
