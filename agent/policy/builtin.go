package policy

import (
	_ "embed" // for builtInText
	"fmt"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/emendo-dev/emendo/tools"
)

//go:embed builtin.toml
var builtInText []byte

// builtIn returns the built-in rules.
var builtIn = sync.OnceValue(func() []*Rule {
	rules, _, mistake := parse("", builtInText, OfEmendo)
	if mistake != nil {
		panic(fmt.Sprintf("policy: the built-in rules: %v", mistake))
	}
	return rules
})

// builtInReason explains why a built-in rule asks or denies, to the user or to
// the model.
func (m *matching) builtInReason(r *Rule) string {
	if r.Decision == Deny { // in plan mode
		switch m.call.Effect.(type) {
		case tools.Runs:
			return "Commands do not run in plan mode. Describe what you would run instead."
		case tools.Remembers:
			return "Nothing is saved in plan mode. Write in the plan what should be remembered."
		case tools.Calls:
			return "Tools of MCP servers do not run in plan mode, except those of servers that the user trusts that only read. Describe what you would do instead."
		case nil, tools.Edits, tools.Reads, tools.Ends, tools.Notes, tools.Asks, tools.Plans, tools.Presents, tools.Sends, tools.Samples:
			return "In plan mode only the session's plans can be changed. Describe what you would change instead."
		}
	}
	switch m.call.Effect.(type) {
	case tools.Edits:
		return "The edit needs the user's approval."
	case tools.Runs:
		return "No rule allows the command."
	case tools.Sends:
		return "It would use the network."
	case tools.Calls:
		return "It would be done by an MCP server, outside of emendo's control."
	case tools.Samples:
		return "The model would answer this at your cost, without knowing your session, and the server would get the answer."
	case tools.Remembers:
		return "All later sessions in this workspace would read it."
	case tools.Plans:
		return "The session would only read and plan until you approve the plan."
	case nil, tools.Reads, tools.Ends, tools.Notes, tools.Asks, tools.Presents: // no explanation needed
	}
	return ""
}

// impossible decides about a call that makes no sense in the current state of
// the session, whatever the rules say.
func impossible(c Call) (Decision, bool) {
	deny := func(rule, reason string) (Decision, bool) {
		return Decision{Kind: Deny, Rule: rule, Reason: reason}, true
	}
	restricted := func(what string) (Decision, bool) {
		return Decision{
			Kind: Deny, Rule: "untrusted_workspace", Restricted: true,
			Reason: "untrusted_workspace: the folder is restricted, so " + what + ". The user can trust it (command emendo.trust, or `emendo trust add`).",
		}, true
	}
	if args := jsontext.Value(c.Args); len(args) > 0 && (args.Kind() != '{' || !args.IsValid()) {
		return deny("the tool's arguments", "The arguments are not a JSON object with unique names.")
	}
	switch e := c.Effect.(type) {
	case tools.Runs:
		if !c.Trusted {
			d, ok := restricted("commands do not run here")
			for _, p := range partsOf(e) {
				d.Parts = append(d.Parts, PartDecision{Text: p.Text, Kind: Deny, Rule: d.Rule})
			}
			return d, ok
		}
	case tools.Sends:
		if !c.Trusted {
			return restricted("network access is denied")
		}
	case tools.Calls, tools.Samples:
		if !c.Trusted {
			return restricted("MCP servers are not called")
		}
	case tools.Remembers:
		if !c.Trusted {
			return restricted("nothing can be saved")
		}
	case tools.Asks:
		if !c.Asks || !c.Elicits {
			return deny("no user available", "No user is available to answer questions. Choose what seems best, continue, and say in your answer what you chose.")
		}
	case tools.Plans:
		switch {
		case c.Mode == Plan:
			return deny("mode plan", "The session is in plan mode already.")
		case c.Mode == Yolo:
			return deny("mode yolo", "In yolo mode nothing needs approval, so plan mode is not available. Think the steps through and carry them out.")
		case !c.Asks:
			return deny("no user available", "No user is available to approve a plan. Think the steps through and continue without plan mode.")
		}
	case tools.Presents:
		switch {
		case c.Mode != Plan:
			return deny("mode "+string(c.Mode), "The session is no longer in plan mode; continue with the task.")
		case !c.Asks:
			return deny("no user available", "No user is available to approve the plan. Give the plan as your answer and end your turn.")
		}
	case nil:
		if !c.Trusted {
			return restricted("this tool is not available")
		}
	case tools.Reads, tools.Edits, tools.Ends, tools.Notes:
	}
	return Decision{}, false
}
