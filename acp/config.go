package acp

import (
	"encoding/json"
	"slices"

	"github.com/emendo-dev/emendo/agent/policy"
)

// Mode describes a mode.
type Mode struct {
	ID          policy.Mode `json:"id"`
	Name        string      `json:"name"`
	Description string      `json:"description"`
}

// ModeState has the modes of a session.
type ModeState struct {
	Current   policy.Mode `json:"currentModeId"`
	Available []Mode      `json:"availableModes"`
}

// ModesOf returns the modes of a session in a mode.
func ModesOf(now policy.Mode) ModeState {
	s := ModeState{Current: now}
	for _, m := range policy.Modes() {
		s.Available = append(s.Available, Mode{m.ID, m.Name, m.Description})
	}
	return s
}

// The IDs of the config options.
const (
	ModeOption  = "mode"
	ModelOption = "model"
)

// ConfigOption is a SessionConfigOption of type select.
type ConfigOption struct {
	ID       string        `json:"id"`
	Name     string        `json:"name"`
	Category string        `json:"category"`
	Type     string        `json:"type"`
	Current  string        `json:"currentValue"`
	Options  []OptionValue `json:"options"`
}

// OptionValue is a value of a [ConfigOption].
type OptionValue struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// ConfigOptions returns the options of a session in a mode with a model, which may be
// none of those that are offered.
func ConfigOptions(mode policy.Mode, model string, offered []OptionValue) []ConfigOption {
	modes := ConfigOption{ID: ModeOption, Name: "Mode", Category: "mode", Type: "select", Current: string(mode)}
	for _, m := range policy.Modes() {
		modes.Options = append(modes.Options, OptionValue{string(m.ID), m.Name, m.Description})
	}
	models := modelOption(model)
	if slices.ContainsFunc(offered, func(m OptionValue) bool { return m.Value == model }) {
		models.Options = nil
	}
	models.Options = append(models.Options, offered...)
	return []ConfigOption{modes, models}
}

func modelOption(name string) ConfigOption {
	return ConfigOption{ModelOption, "Model", "model", "select", name, []OptionValue{{Value: name, Name: name}}}
}

// optionsUpdate is the update of kind config_option_update.
type optionsUpdate struct {
	Kind    string         `json:"sessionUpdate"`
	Options []ConfigOption `json:"configOptions"`
}

// OptionsUpdate encodes an update with the options of a session.
func OptionsUpdate(l []ConfigOption) json.RawMessage {
	return encode(optionsUpdate{"config_option_update", l})
}
