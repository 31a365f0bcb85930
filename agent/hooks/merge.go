package hooks

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// merge combines the output of an event's hooks, in the order of the plan. If
// they ran sequentially, each has seen the changes of those before it.
func merge(e Event, all []Output) Output {
	switch e {
	case BeforeTool, AfterTool, BeforeAgent, AfterAgent, SessionStart:
		return strictest(all)
	case BeforeToolSelection:
		return narrowest(all)
	case BeforeModel, AfterModel, SessionEnd, PreCompress, Notification:
	}
	var out Output
	for _, o := range all {
		out = out.under(o)
	}
	return out
}

// strictest takes the strictest decision and joins the texts.
func strictest(all []Output) Output {
	out := Output{Decision: Allow}
	var stops, reasons, messages, contexts []string
	clears := false
	for _, o := range all {
		stop := o.Stops()
		out = out.specifics(o)
		if stop {
			out.Continue = o.Continue
		}
		switch {
		case o.Blocks():
			out.Decision = Block
		case o.Asks() && out.Decision != Block:
			out.Decision = Ask
		}
		out.Suppress = out.Suppress || o.Suppress
		stops, reasons, messages = appendText(stops, o.StopReason), appendText(reasons, o.Reason), appendText(messages, o.SystemMessage)
		contexts = appendText(contexts, o.Context())
		clears = clears || o.ClearsContext()
	}
	out.StopReason, out.Reason, out.SystemMessage = strings.Join(stops, "\n"), strings.Join(reasons, "\n"), strings.Join(messages, "\n")
	if len(contexts) > 0 {
		out = out.withField("additionalContext", strings.Join(contexts, "\n"))
	}
	if clears {
		out = out.withField("clearContext", true)
	}
	return out
}

func appendText(list []string, s string) []string {
	if s == "" {
		return list
	}
	return append(list, s)
}

// narrowest combines restrictions of the tools that the model may call.
func narrowest(all []Output) Output {
	var out Output
	mode, names, found := "", []string{}, false
	rank := map[string]int{"": 0, ModeAuto: 1, ModeAny: 2, ModeNone: 3}
	for _, o := range all {
		out = out.under(o)
		t, ok := o.ToolConfig()
		if !ok {
			continue
		}
		found = true
		if rank[t.Mode] > rank[mode] {
			mode = t.Mode
		}
		names = append(names, t.Allowed...)
	}
	if !found {
		return out
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if mode == ModeNone {
		names = nil
	}
	return out.withField("toolConfig", ToolConfig{Mode: mode, Allowed: names})
}

// under returns o overridden by a later output. A refusal stays one, with its
// reason.
func (o Output) under(later Output) Output {
	if !o.Stops() {
		o.Continue, o.StopReason = cmp.Or(later.Continue, o.Continue), cmp.Or(later.StopReason, o.StopReason)
	}
	if !o.Blocks() {
		o.Decision, o.Reason = cmp.Or(later.Decision, o.Decision), cmp.Or(later.Reason, o.Reason)
	}
	o.SystemMessage = cmp.Or(later.SystemMessage, o.SystemMessage)
	o.Suppress = o.Suppress || later.Suppress
	return o.specifics(later)
}

// laid lists specific fields that are merged member by member, so that changes
// of earlier hooks stay.
var laid = []string{"tool_input", "llm_request"}

// specifics returns o with the specific fields of a later output.
func (o Output) specifics(later Output) Output {
	if len(later.Specific) == 0 {
		return o
	}
	all := maps.Clone(o.Specific)
	if all == nil {
		all = map[string]json.RawMessage{}
	}
	for name, value := range later.Specific {
		if slices.Contains(laid, name) && isObject(all[name]) {
			value = merged(all[name], value)
		}
		all[name] = value
	}
	o.Specific = all
	return o
}

// withField returns o with a specific field set.
func (o Output) withField(name string, value any) Output {
	raw, err := encode(value)
	if err != nil {
		return o // cannot happen with the values of this package
	}
	return o.specifics(Output{Specific: map[string]json.RawMessage{name: raw}})
}
