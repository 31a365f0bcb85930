package settings

import (
	"time"
)

// Model says which model answers, and how long it may take.
type Model struct {
	// The model to use. `auto` chooses a strong or a fast model for the task; `pro`, `flash` and
	// `flash-lite` use the newest model of that kind. All four skip models that the key may not
	// use. Other values are the name of a model, an alias of `modelConfigs.customAliases`,
	// `provider/name`, or `replay:FILE` for recorded answers. A project cannot name a provider.
	Name string `default:"auto" scope:"any"`
	// Own is the name that counts without the project, if the project has set Name: it
	// does not choose the provider. Empty: the project has set none.
	Own string `json:"-"`
	// The maximum number of model requests in a turn; -1 means no limit. With 0 the limit is 100
	// where no user can stop a turn (`emendo run`, `emendo a2a`), and there is none in editors.
	MaxSessionTurns int `range:"-1.." scope:"any"`
	// Do not detect loops. By default, a model that repeats the same calls or text gets one
	// warning and is then stopped.
	DisableLoopDetection bool `scope:"any"`
	// End the turn with every answer that calls no tool. With `false`, a small model is asked
	// whether the answer broke off, and if so the model is asked to continue; this costs one
	// request per turn.
	SkipNextSpeakerCheck bool `default:"true" scope:"any"`
	// Switch to another model when the model has no quota left or is overloaded: `always`,
	// `never`, or `ask`. Headless runs treat `ask` as `never`. Models that the key may not use are
	// always skipped if `auto`, `pro`, `flash` or `flash-lite` chose them.
	Fallback Fallback `default:"ask" scope:"any"`
	Routing  Routing
	// The fraction of the model's context window at which the older part of a conversation is
	// summarized.
	CompressionThreshold float64 `default:"0.5" range:"0.1..1" scope:"any"`
	Stream               Stream
	// Connections to [providers of models](models.md), by name: `{"openai": {"baseUrl":
	// "https://gateway.example/v1", "headers": {"X-Team": "$TEAM"}}}`. `baseUrl` is the address of
	// the API, `api` the API of a server that is compatible with OpenAI's (`chat`, the default
	// with a base URL, or `responses`), `keyVariable` the environment variable with the key, and
	// `headers` are sent with each request; `$NAME` means the value of that variable. Any other
	// name is a server with an API compatible with OpenAI's. Layers add to the object.
	Providers ModelProviders `object:"an object: names to providers"`
	// Changes to [the catalogue of models](models.md#the-catalogue), by the model's ID:
	// `{"my-model": {"provider": "openai", "role": "strong", "context": 200000, "prices":
	// {"input": 1, "output": 4}}}`. Fields replace those of a model of that ID; `"remove": true`
	// leaves it out. Layers add to the object.
	Catalogue ModelChanges `object:"an object: IDs to models"`
	// Write prompts and answers into the log, beside the sizes and times that are always written
	// at the level of `--debug`. The log then contains your conversations.
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

func (Fallback) words() []string { return words(FallbackNever, FallbackAsk, FallbackAlways) }

// Routing says how a model is chosen where Name leaves that open.
type Routing struct {
	// With an `auto` model, ask a small model about each prompt first, and send easy prompts to
	// the fast model. This costs one request and up to five seconds.
	Classifier bool `scope:"any"`
}

// Stream bounds the waits for a model's answer.
type Stream struct {
	// The time to wait for the first byte of an answer before the request is retried.
	FirstByte time.Duration `key:"model.stream.firstByteSeconds" default:"300" range:"1..86400" scope:"any"`
	// The longest pause in an answer before the request is retried.
	Idle time.Duration `key:"model.stream.idleSeconds" default:"120" range:"1..86400" scope:"any"`
}
