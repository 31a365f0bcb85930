package policy

import (
	"cmp"
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
	t := tools.TraitsOf(m.call.Effect)
	if r.Decision == Deny { // in plan mode
		return cmp.Or(t.InPlanMode, "In plan mode only the session's plans can be changed. Describe what you would change instead.")
	}
	return t.WhyAsked
}

// impossible decides about a call that makes no sense in the current state of
// the session, whatever the rules say.
func impossible(c Call) (Decision, bool) {
	deny := func(rule, reason string) (Decision, bool) {
		return Decision{Kind: Deny, Rule: rule, Reason: reason}, true
	}
	if args := jsontext.Value(c.Args); len(args) > 0 && (args.Kind() != '{' || !args.IsValid()) {
		return deny("the tool's arguments", "The arguments are not a JSON object with unique names.")
	}
	if why := tools.TraitsOf(c.Effect).Restricted; why != "" && !c.Trusted {
		d := Decision{
			Kind: Deny, Rule: "untrusted_workspace", Restricted: true,
			Reason: "untrusted_workspace: the folder is restricted, so " + why + ". The user can trust it (command emendo.trust, or `emendo trust add`).",
		}
		if e, runs := c.Effect.(tools.Runs); runs {
			for _, p := range partsOf(e) {
				d.Parts = append(d.Parts, PartDecision{Text: p.Text, Kind: Deny, Rule: d.Rule})
			}
		}
		return d, true
	}
	switch c.Effect.(type) { //nolint:gochecksumtype // the others need no user, and no mode
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
	}
	return Decision{}, false
}
