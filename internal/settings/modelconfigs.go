package settings

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ModelConfigs configures requests to models.
type ModelConfigs struct {
	// Generation settings by name: `{"mine": {"extends": "chat-base-3", "modelConfig": {"model":
	// "flash", "generateContentConfig": {"temperature": 0.2}}}}`. Use a name as `model.name`; a
	// definition with a built-in name (`chat-base`, `classifier`, …) replaces the built-in one.
	// `generateContentConfig` takes `temperature`, `topP`, `topK`, `maxOutputTokens`,
	// `stopSequences`, `seed`, and `thinkingConfig` with `thinkingBudget`, `thinkingLevel` and
	// `includeThoughts`.
	CustomAliases ModelAliases `object:"an object: names to aliases" scope:"any"`
	// Overrides of the aliases: `[{"match": {"model": "chat-base-3"}, "modelConfig": …}]`. `match`
	// names a model or an alias that it extends, and may restrict `overrideScope` (`core`, or a
	// subagent's name) and `isRetry`. The closest match wins.
	CustomOverrides ModelOverrides `object:"a list of overrides" scope:"any"`
}

// ModelAliases are aliases by name.
type ModelAliases map[string]ModelAlias

// ModelOverrides are overrides, the strongest last.
type ModelOverrides []ModelOverride

func (aliases ModelAliases) models() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(aliases)) {
		names = append(names, aliases[name].ModelConfig.Model)
	}
	return names
}

func (aliases ModelAliases) check() error {
	for name, a := range aliases {
		if err := a.ModelConfig.check(name, "modelConfig"); err != nil {
			return err
		}
	}
	return nil
}

func (overrides ModelOverrides) models() (names []string) {
	for _, o := range overrides {
		names = append(names, o.ModelConfig.Model)
	}
	return names
}

func (overrides ModelOverrides) check() error {
	for i, o := range overrides {
		if err := o.ModelConfig.check(strconv.Itoa(i), "modelConfig"); err != nil {
			return err
		}
	}
	return nil
}

// ModelAlias is a named model with its configuration.
type ModelAlias struct {
	Extends     string      `json:"extends,omitzero"` // the alias that it extends
	ModelConfig ModelConfig `json:"modelConfig,omitzero"`
}

// ModelOverride adds to the configuration of the requests that match.
type ModelOverride struct {
	Match       ModelMatch  `json:"match"`
	ModelConfig ModelConfig `json:"modelConfig,omitzero"`
}

// ModelMatch selects requests. All of its conditions must hold.
type ModelMatch struct {
	Model         string `json:"model,omitzero"`
	OverrideScope string `json:"overrideScope,omitzero"`
	IsRetry       *bool  `json:"isRetry,omitzero"`
}

// ModelConfig is a model and its parameters. Unset fields are nil or empty.
type ModelConfig struct {
	Model                 string     `json:"model,omitzero"`
	GenerateContentConfig Generation `json:"generateContentConfig,omitzero"`
}

// Generation holds the parameters of a model's answer.
type Generation struct {
	Temperature     *float32 `json:"temperature,omitzero"`
	TopP            *float32 `json:"topP,omitzero"`
	TopK            *float32 `json:"topK,omitzero"`
	MaxOutputTokens int32    `json:"maxOutputTokens,omitzero"`
	StopSequences   []string `json:"stopSequences,omitzero"`
	Seed            *int32   `json:"seed,omitzero"`
	ThinkingConfig  Thinking `json:"thinkingConfig,omitzero"`
}

// Thinking configures how a model thinks before it answers.
type Thinking struct {
	ThinkingBudget  *int32 `json:"thinkingBudget,omitzero"` // tokens; 0 means none, -1 lets the model decide
	ThinkingLevel   string `json:"thinkingLevel,omitzero"`
	IncludeThoughts *bool  `json:"includeThoughts,omitzero"`
}

var thinkingLevels = []string{"MINIMAL", "LOW", "MEDIUM", "HIGH"}

// check reports values that no model accepts; at is the path to c.
func (c ModelConfig) check(at ...string) error {
	g := c.GenerateContentConfig
	wrong := map[string]string{}
	number := func(name string, v *float32, least, most float32, what string) {
		if v != nil && (*v < least || *v > most) {
			wrong[name] = what
		}
	}
	number("temperature", g.Temperature, 0, 2, "must be a number from 0 to 2")
	number("topP", g.TopP, 0, 1, "must be a number from 0 to 1")
	number("topK", g.TopK, 1, 1000, "must be a number from 1 to 1000")
	if g.MaxOutputTokens < 0 {
		wrong["maxOutputTokens"] = "must be a whole number, at least 1"
	}
	if b := g.ThinkingConfig.ThinkingBudget; b != nil && *b < -1 {
		wrong["thinkingConfig thinkingBudget"] = "must be a whole number, at least -1"
	}
	if l := g.ThinkingConfig.ThinkingLevel; l != "" && !slices.Contains(thinkingLevels, strings.ToUpper(l)) {
		wrong["thinkingConfig thinkingLevel"] = "must be one of " + strings.Join(thinkingLevels, ", ")
	}
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		return &innerError{slices.Concat(at, []string{"generateContentConfig"}, strings.Fields(name)), wrong[name]}
	}
	return nil
}

// ModelProvider is the way to a provider of models.
type ModelProvider struct {
	BaseURL     string            `json:"baseUrl,omitzero"`
	API         string            `json:"api,omitzero"` // of OpenAI's: "responses" or "chat"; empty: by the base URL
	KeyVariable string            `json:"keyVariable,omitzero"`
	Headers     map[string]string `json:"headers,omitzero"` // $NAME means the value of that variable
}

// ModelProviders are the ways to providers by name.
type ModelProviders map[string]ModelProvider

// check returns the first error in the providers.
func (providers ModelProviders) check() error {
	for _, name := range slices.Sorted(maps.Keys(providers)) {
		p := providers[name]
		if u, err := url.Parse(p.BaseURL); p.BaseURL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			return &innerError{[]string{name, "baseUrl"}, "must be an http or https URL"}
		}
		if !slices.Contains([]string{"", "responses", "chat"}, p.API) {
			return &innerError{[]string{name, "api"}, `must be "responses" or "chat"`}
		}
		if i := slices.IndexFunc([]byte(name), func(b byte) bool { return b == '/' || b == ':' || b <= ' ' }); i >= 0 || name == "" {
			return &innerError{[]string{name}, "must be a name without spaces, '/' and ':'"}
		}
	}
	return nil
}

// Models returns the user's changes to the catalogue of models, by ID.
func (m Model) Models() map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for id, raw := range m.Catalogue {
		out[id] = json.RawMessage(raw)
	}
	return out
}

// ModelChanges are changes to the catalogue of models, by ID.
type ModelChanges map[string]jsontext.Value

// check returns the first error in the changes. What a model may say is checked where it is
// used.
func (models ModelChanges) check() error {
	for _, id := range slices.Sorted(maps.Keys(models)) {
		if models[id].Kind() != '{' {
			return &innerError{[]string{id}, "must be an object"}
		}
	}
	return nil
}
