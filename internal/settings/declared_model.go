package settings

import (
	"math"
	"time"
)

// Model says which model answers, and how long it may take.
type Model struct {
	// Name is a Gemini model's name, or provider/name, or replay:FILE.
	Name string
	// Own is the name that counts without the project, if the project has set Name: it
	// does not choose the provider. Empty: the project has set none.
	Own string `json:"-"`
	// MaxSessionTurns is the number of model requests that a turn may make;
	// -1 is no limit.
	MaxSessionTurns int
	// DisableLoopDetection does not stop a model that repeats itself.
	DisableLoopDetection bool
	// SkipNextSpeakerCheck takes an answer without a call as the end of the turn.
	SkipNextSpeakerCheck bool
	Fallback             Fallback
	Routing              Routing
	// CompressionThreshold is the share of what the model takes from which a
	// conversation is summed up.
	CompressionThreshold float64
	Stream               Stream
	// Providers are the ways to providers, by name.
	Providers ModelProviders
	// Catalogue has changes to the catalogue of models, by ID.
	Catalogue ModelChanges
	// LogText writes what is sent and answered into the log.
	LogText bool
}

// Fallback selects whether another model may replace one that cannot answer.
type Fallback string

// The values of [Fallback].
const (
	FallbackNever  Fallback = "never"
	FallbackAsk    Fallback = "ask" // ask the user; never if no user is available
	FallbackAlways Fallback = "always"
)

// Routing says how a model is chosen where Name leaves that open.
type Routing struct {
	// Classifier has a small model judge each prompt.
	Classifier bool
}

// Stream bounds the waits for a model's answer.
type Stream struct {
	FirstByte time.Duration `key:"model.stream.firstByteSeconds"`
	Idle      time.Duration `key:"model.stream.idleSeconds"` // between chunks
}

var modelSettings = []setting{
	{
		key:     "model.name",
		doc:     "The model to use. `auto` chooses a strong or a fast model for the task; `pro`, `flash` and `flash-lite` use the newest model of that kind. All four skip models that the key may not use. Other values are the name of a model, an alias of `modelConfigs.customAliases`, `provider/name`, or `replay:FILE` for recorded answers. A project cannot name a provider.",
		scope:   anyone,
		initial: "auto",
	},
	{
		key:   "model.routing.classifier",
		doc:   "With an `auto` model, ask a small model about each prompt first, and send easy prompts to the fast model. This costs one request and up to five seconds.",
		scope: anyone,
	},
	{
		key:     "general.plan.modelRouting",
		doc:     "With an `auto` model, make plans with the strong model, and carry out an approved plan with the fast one until the turn ends.",
		scope:   anyone,
		initial: true,
	},
	{
		key:   "model.maxSessionTurns",
		doc:   "The maximum number of model requests in a turn; -1 means no limit. With 0 the limit is 100 where no user can stop a turn (`emendo run`, `emendo a2a`), and there is none in editors.",
		scope: anyone,
		least: -1, most: math.MaxInt32,
	},
	{
		key:     "model.compressionThreshold",
		doc:     "The fraction of the model's context window at which the older part of a conversation is summarized.",
		scope:   anyone,
		initial: 0.5, least: 0.1, most: 1,
	},
	{
		key:   "model.disableLoopDetection",
		doc:   "Do not detect loops. By default, a model that repeats the same calls or text gets one warning and is then stopped.",
		scope: anyone,
	},
	{
		key:     "model.skipNextSpeakerCheck",
		doc:     "End the turn with every answer that calls no tool. With `false`, a small model is asked whether the answer broke off, and if so the model is asked to continue; this costs one request per turn.",
		scope:   anyone,
		initial: true,
	},
	{
		key:     "model.fallback",
		doc:     "Switch to another model when the model has no quota left or is overloaded: `always`, `never`, or `ask`. Headless runs treat `ask` as `never`. Models that the key may not use are always skipped if `auto`, `pro`, `flash` or `flash-lite` chose them.",
		scope:   anyone,
		initial: string(FallbackAsk), oneOf: words(FallbackNever, FallbackAsk, FallbackAlways),
	},
	{
		key:     "model.stream.firstByteSeconds",
		doc:     "The time to wait for the first byte of an answer before the request is retried.",
		scope:   anyone,
		initial: 300, least: 1, most: maxSeconds,
	},
	{
		key:     "model.stream.idleSeconds",
		doc:     "The longest pause in an answer before the request is retried.",
		scope:   anyone,
		initial: 120, least: 1, most: maxSeconds,
	},
	{
		key: "model.providers",
		doc: "Connections to [providers of models](models.md), by name: `{\"openai\": {\"baseUrl\": \"https://gateway.example/v1\", \"headers\": {\"X-Team\": \"$TEAM\"}}}`. `baseUrl` is the address of the API, " +
			"`api` the API of a server that is compatible with OpenAI's (`chat`, the default with a base URL, or `responses`), `keyVariable` the environment variable with the key, " +
			"and `headers` are sent with each request; `$NAME` means the value of that variable. Any other name is a server with an API compatible with OpenAI's. Layers add to the object.",
		object: "an object: names to providers",
	},
	{
		key: "model.catalogue",
		doc: "Changes to [the catalogue of models](models.md#the-catalogue), by the model's ID: `{\"my-model\": {\"provider\": \"openai\", \"role\": \"strong\", \"context\": 200000, \"prices\": {\"input\": 1, \"output\": 4}}}`. " +
			"Fields replace those of a model of that ID; `\"remove\": true` leaves it out. Layers add to the object.",
		object: "an object: IDs to models",
	},
	{
		key: "model.logText",
		doc: "Write prompts and answers into the log, beside the sizes and times that are always written at the level of `--debug`. The log then contains your conversations.",
	},
	{
		key:    "modelConfigs.customAliases",
		doc:    "Generation settings by name: `{\"mine\": {\"extends\": \"chat-base-3\", \"modelConfig\": {\"model\": \"flash\", \"generateContentConfig\": {\"temperature\": 0.2}}}}`. Use a name as `model.name`; a definition with a built-in name (`chat-base`, `classifier`, …) replaces the built-in one. `generateContentConfig` takes `temperature`, `topP`, `topK`, `maxOutputTokens`, `stopSequences`, `seed`, and `thinkingConfig` with `thinkingBudget`, `thinkingLevel` and `includeThoughts`.",
		scope:  anyone,
		object: "an object: names to aliases",
	},
	{
		key:    "modelConfigs.customOverrides",
		doc:    "Overrides of the aliases: `[{\"match\": {\"model\": \"chat-base-3\"}, \"modelConfig\": …}]`. `match` names a model or an alias that it extends, and may restrict `overrideScope` (`core`, or a subagent's name) and `isRetry`. The closest match wins.",
		scope:  anyone,
		object: "a list of overrides",
	},
}
