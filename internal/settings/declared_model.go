package settings

import "math"

var modelSettings = []setting{
	{
		key:     "model.name",
		doc:     "The model that answers: a Gemini model's name, or `provider/name`, or `replay:FILE` for recorded answers.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Model.Name },
		initial: "gemini-2.5-pro",
	},
	{
		key:     "model.maxSessionTurns",
		doc:     "How many model requests one turn may make before it is ended; -1 is no limit.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Model.MaxSessionTurns },
		initial: -1, least: -1, most: math.MaxInt32,
	},
	{
		key:     "model.disableLoopDetection",
		doc:     "Let a model repeat the same calls or words as often as it likes, where it would be told so once and then stopped.",
		scope:   anyone,
		field:   func(s *Settings) any { return &s.Model.DisableLoopDetection },
		initial: false,
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
}
