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
			return "In plan mode no command runs. Say what you would run instead."
		case tools.Remembers:
			return "In plan mode nothing is saved. Say in the plan what should be remembered."
		case nil, tools.Edits, tools.Reads, tools.Ends, tools.Notes, tools.Asks, tools.Plans, tools.Presents, tools.Sends:
			return "In plan mode nothing is changed but the session's own plans. Say what you would change instead."
		}
	}
	switch m.call.Effect.(type) {
	case tools.Edits:
		return "The edit needs the user's approval."
	case tools.Runs:
		return "No rule allows the command."
	case tools.Sends:
		return "It would reach out of this machine."
	case tools.Remembers:
		return "Every later session of this workspace would read it."
	case tools.Plans:
		return "The session would read and plan, and change nothing until you approve the plan."
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
		return deny("the tool's arguments", "The arguments are no JSON object in which each name stands once.")
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
			return restricted("nothing is sent from it")
		}
	case tools.Remembers:
		if !c.Trusted {
			return restricted("nothing is saved for it")
		}
	case tools.Asks:
		if !c.Asks || !c.Elicits {
			return deny("nobody to ask", "Nobody is there to answer questions. Choose what seems best, go on, and say in your answer what you chose.")
		}
	case tools.Plans:
		switch {
		case c.Mode == Plan:
			return deny("mode plan", "The session is in plan mode already.")
		case c.Mode == Yolo:
			return deny("mode yolo", "In yolo mode nothing waits for approval, so there is no plan mode to go into. Think the steps through and take them.")
		case !c.Asks:
			return deny("nobody to ask", "Nobody is there to approve a plan. Think the steps through and go on without plan mode.")
		}
	case tools.Presents:
		switch {
		case c.Mode != Plan:
			return deny("mode "+string(c.Mode), "The session is not in plan mode any more; go on with the task.")
		case !c.Asks:
			return deny("nobody to ask", "Nobody is there to approve the plan. Give the plan as your answer and end your turn.")
		}
	case nil:
		if !c.Trusted {
			return restricted("this tool is not called here")
		}
	case tools.Reads, tools.Edits, tools.Ends, tools.Notes:
	}
	return Decision{}, false
}
