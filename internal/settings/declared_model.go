package settings

import (
	"maps"
	"math"
	"slices"
	"strconv"
)

var modelSettings = []setting{
	{
		key:     "model.name",
		doc:     "The model that answers: `auto`, `auto-gemini-2.5` or `auto-gemini-3` for a choice between a strong and a fast one, `pro`, `flash` or `flash-lite`, a Gemini model's name, a name of `modelConfigs.customAliases`, `provider/name`, or `replay:FILE` for recorded answers. A project names no provider.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Model.Name },
		initial: "auto",
		models:  func(s *Settings) []string { return []string{s.Model.Name} },
	},
	{
		key:     "model.routing.classifier",
		doc:     "With an `auto` model, have the smallest model judge each prompt first, so that easy ones go to the fast model. It costs a request, and up to five seconds.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Model.Routing.Classifier },
		initial: false,
	},
	{
		key:     "general.plan.modelRouting",
		doc:     "With an `auto` model, have the strong model make plans, and the fast one carry out a plan from its approval to the end of that turn.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.General.Plan.ModelRouting },
		initial: true,
	},
	{
		key:     "model.maxSessionTurns",
		doc:     "How many model requests one turn may make before it is ended; -1 is no limit.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Model.MaxSessionTurns },
		initial: -1, least: -1, most: math.MaxInt32,
	},
	{
		key:     "model.compressionThreshold",
		doc:     "The share of what the model takes from which the older part of a conversation is summed up.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Model.CompressionThreshold },
		initial: 0.5, least: 0.1, most: 1,
	},
	{
		key:     "model.disableLoopDetection",
		doc:     "Let a model repeat the same calls or words as often as it likes, where it would be told so once and then stopped.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Model.DisableLoopDetection },
		initial: false,
	},
	{
		key:     "model.skipNextSpeakerCheck",
		doc:     "Take every answer that calls no tool as the end of the turn. With `false` a small model is asked whether the answer broke off, and if it did the model is told to go on; that costs a request for each turn.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Model.SkipNextSpeakerCheck },
		initial: true,
	},
	{
		key:     "model.fallback",
		doc:     "What to do when the model has no quota left or is overloaded: go on with a smaller one `always`, `never`, or `ask`. Headless, `ask` is `never`.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Model.Fallback },
		initial: "ask", oneOf: []string{"never", "ask", "always"},
	},
	{
		key:     "model.stream.firstByteSeconds",
		doc:     "How long to wait for the beginning of an answer before the request is given up and tried again.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Model.Stream.FirstByte },
		initial: 300, least: 1, most: maxSeconds,
	},
	{
		key:     "model.stream.idleSeconds",
		doc:     "How long an answer may stand still before it is given up and tried again.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Model.Stream.Idle },
		initial: 120, least: 1, most: maxSeconds,
	},
	{
		key:    "modelConfigs.customAliases",
		doc:    "How models are asked, by name: `{\"mine\": {\"extends\": \"chat-base-2.5\", \"modelConfig\": {\"model\": \"gemini-2.5-flash\", \"generateContentConfig\": {\"temperature\": 0.2}}}}`. A name can be given as `model.name`; that of a built-in one (`chat-base`, `classifier`, …) replaces it. In `generateContentConfig` may stand `temperature`, `topP`, `topK`, `maxOutputTokens`, `stopSequences`, `seed`, and `thinkingConfig` with `thinkingBudget`, `thinkingLevel` and `includeThoughts`.",
		scope:  anyone,
		field:  func(s *Settings) any { return &s.ModelConfigs.CustomAliases },
		object: "an object: names to aliases",
		models: func(s *Settings) (names []string) {
			for _, name := range slices.Sorted(maps.Keys(s.ModelConfigs.CustomAliases)) {
				names = append(names, s.ModelConfigs.CustomAliases[name].ModelConfig.Model)
			}
			return names
		},
		valid: func(s *Settings) error {
			for name, a := range s.ModelConfigs.CustomAliases {
				if err := a.ModelConfig.check(name, "modelConfig"); err != nil {
					return err
				}
			}
			return nil
		},
	},
	{
		key:    "modelConfigs.customOverrides",
		doc:    "What is to hold over the aliases: `[{\"match\": {\"model\": \"gemini-2.5-pro\"}, \"modelConfig\": …}]`. `match` names a model or an alias on the way to it, and may ask for `overrideScope` (`core`, or a subagent's name) and `isRetry`. The nearest match counts most.",
		scope:  anyone,
		field:  func(s *Settings) any { return &s.ModelConfigs.CustomOverrides },
		object: "a list of overrides",
		models: func(s *Settings) (names []string) {
			for _, o := range s.ModelConfigs.CustomOverrides {
				names = append(names, o.ModelConfig.Model)
			}
			return names
		},
		valid: func(s *Settings) error {
			for i, o := range s.ModelConfigs.CustomOverrides {
				if err := o.ModelConfig.check(strconv.Itoa(i), "modelConfig"); err != nil {
					return err
				}
			}
			return nil
		},
	},
}
