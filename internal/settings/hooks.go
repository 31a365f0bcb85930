package settings

import (
	"fmt"
	"iter"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Origin is the owner of the layer that something comes from.
type Origin int

// The origins.
const (
	OfUser Origin = iota
	OfProject
	OfSystem    // the administrator
	OfExtension // of the user or a project
)

func (o Origin) String() string { return [...]string{"user", "project", "system", "extension"}[o] }

// Hooks are the user's own commands, by the event at which they run.
type Hooks struct {
	// Commands that run before a tool call, and can change it, deny it or ask the user about it;
	// `matcher` is a regular expression for the tool's name.
	BeforeTool HookList `key:"hooks.BeforeTool" object:"a list of definitions" scope:"any"`
	// Commands that run after a tool call, and can add to its result or withhold it; `matcher` as
	// for `BeforeTool`.
	AfterTool HookList `key:"hooks.AfterTool" object:"a list of definitions" scope:"any"`
	// Commands that run before a turn; the model reads their `additionalContext` with the prompt.
	BeforeAgent HookList `key:"hooks.BeforeAgent" object:"a list of definitions" scope:"any"`
	// Commands that run after a turn, and can continue it with a reason.
	AfterAgent HookList `key:"hooks.AfterAgent" object:"a list of definitions" scope:"any"`
	// Commands that run before the first turn of a session in a process; `matcher` is `startup` or
	// `resume`.
	SessionStart HookList `key:"hooks.SessionStart" object:"a list of definitions" scope:"any"`
	// Commands that run when a session ends; `matcher` is `exit` or `other`.
	SessionEnd HookList `key:"hooks.SessionEnd" object:"a list of definitions" scope:"any"`
	// Commands that run before the older part of a conversation is summarized; `matcher` is `auto`
	// or `manual`.
	PreCompress HookList `key:"hooks.PreCompress" object:"a list of definitions" scope:"any"`
	// Commands that run before each model request, and can change or answer it.
	BeforeModel HookList `key:"hooks.BeforeModel" object:"a list of definitions" scope:"any"`
	// Commands that run after each chunk of a model's answer, and can replace its text.
	AfterModel HookList `key:"hooks.AfterModel" object:"a list of definitions" scope:"any"`
	// Commands that run before each model request, and select the tools that it offers.
	BeforeToolSelection HookList `key:"hooks.BeforeToolSelection" object:"a list of definitions" scope:"any"`
	// Commands that run when the user is asked for permission.
	Notification HookList `key:"hooks.Notification" object:"a list of definitions" scope:"any"`
}

// HookList are the definitions of one event.
type HookList []HookDefinition

// HookDefinition is a list of hooks that run under one condition.
type HookDefinition struct {
	Matcher    string      `json:"matcher,omitzero"`
	Sequential bool        `json:"sequential,omitzero"`
	Hooks      []HookEntry `json:"hooks"`

	Origin Origin `json:"-"`
	Folder string `json:"-"` // the project's folder, for a hook of a project or of its extension
	// Extension is the name of the extension that has the hook; empty: none.
	Extension string `json:"-"`
	// Home is the folder of that extension if the user installed it; empty: a project
	// has it.
	Home  string `json:"-"`
	Place int    `json:"-"` // among those of its origin for the event, from zero
}

// HookEntry is one hook.
type HookEntry struct {
	Type        string            `json:"type,omitzero"` // "command"; other kinds are ignored
	Command     string            `json:"command,omitzero"`
	Name        string            `json:"name,omitzero"`
	Description string            `json:"description,omitzero"`
	Timeout     float64           `json:"timeout,omitzero"` // milliseconds; 0 means the default
	Env         map[string]string `json:"env,omitzero"`
	Sandbox     *bool             `json:"sandbox,omitzero"` // run it in the sandbox; a project's always runs there
}

// ByEvent returns the definitions of each event that has any.
func (h Hooks) ByEvent() iter.Seq2[string, []HookDefinition] {
	return func(yield func(string, []HookDefinition) bool) {
		s := Settings{Hooks: h}
		for _, d := range declared() {
			list, ok := d.field(&s).(*HookList)
			if ok && len(*list) > 0 && !yield(strings.TrimPrefix(d.key, "hooks."), *list) {
				return
			}
		}
	}
}

// HooksConfig selects the hooks that run.
type HooksConfig struct {
	// Run hooks.
	Enabled bool `default:"true"`
	// Hooks to disable, by name, or by command for hooks without a name. Layers add to the list.
	Disabled []string `how:"joined"`
	// Hooks of projects that run outside the sandbox with your full permissions, each by its exact
	// `command` in the project's settings. Layers add to the list.
	Outside []string `key:"hooksConfig.outsideSandbox" how:"joined"`
	// Show a notice for every hook that ran. Failures and messages of hooks are always shown.
	Notifications bool `default:"true"`
}

// hookTypes are the known kinds of hooks.
var hookTypes = []string{"command", "runtime", "plugin"}

// check returns the first error in the definitions.
func (list HookList) check() error {
	for i, d := range list {
		for j, h := range d.Hooks {
			at := func(name string) []string {
				return []string{strconv.Itoa(i), "hooks", strconv.Itoa(j), name}
			}
			switch {
			case !slices.Contains(hookTypes, h.Type):
				return &innerError{at("type"), `must be "command"`}
			case h.Type == "command" && h.Command == "":
				return &innerError{at("command"), "must be the command to run"}
			case h.Timeout < 0 || h.Timeout > math.MaxInt32:
				return &innerError{at("timeout"), "must be a number of milliseconds"}
			}
		}
	}
	return nil
}

// doubt warns about a matcher that probably matches no tool: a guard with such a matcher
// guards nothing.
func (list HookList) doubt(key string) string {
	if key != "hooks.BeforeTool" && key != "hooks.AfterTool" {
		return ""
	}
	for _, d := range list {
		if _, err := regexp.Compile(d.Matcher); err != nil && d.Matcher != "*" {
			return fmt.Sprintf("the matcher %.100q is taken for a tool's name, for as an expression it cannot be read (%s): lookahead and references are not known", d.Matcher, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
	}
	return ""
}

// add appends a layer's definitions to those of weaker layers.
func (list *HookList) add(value jsontext.Value, l layer) {
	place := 0
	for _, d := range *list {
		if d.Origin == l.origin {
			place++
		}
	}
	more := decoded[HookList](value)
	for i := range more {
		more[i].Origin, more[i].Folder, more[i].Place = l.origin, l.dir, place+i
	}
	*list = slices.Concat(*list, more)
}
