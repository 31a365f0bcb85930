package agent

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/protect"
	"github.com/emendo-dev/emendo/tools/shell"
)

// verdict is what the gate says of an effect.
type verdict struct {
	kind   verdictKind
	reason string          // why it is asked or denied, one sentence
	rule   string          // what decided a denial
	errs   tools.ErrorType // of a denial
	doubts bool            // it is asked because of what the model has read
}

type verdictKind int

const (
	deny   verdictKind = iota
	ask                // the user is asked
	review             // of edits: the decision on the hunks is the answer
	allow
)

// refusal is what the model reads of a denial.
func (v verdict) refusal() tools.Result {
	return tools.Result{Err: &tools.Error{Type: v.errs, Message: v.reason}}
}

func denied(t tools.ErrorType, rule, format string, a ...any) verdict {
	return verdict{kind: deny, reason: fmt.Sprintf(format, a...), rule: rule, errs: t}
}

// decide is the gate: the one place where an effect is let through, asked
// about or denied. What is denied cannot be lifted by a mode.
func (t *turn) decide(spec tools.Spec, e tools.Effect) verdict {
	s := t.session
	g := gate{
		mode: s.Info().Mode, trusted: s.Trusted(), can: s.agent.client.Abilities(),
		allowed: s.agent.choices().AllowedTools, excluded: s.agent.choices().ExcludedTools, granted: s.grantedCommand, within: s.within,
		elicits: s.agent.elicitor() != nil, isPlan: s.isPlan,
	}
	return t.contain(spec, e, g.decide(spec.Name, e))
}

// gate holds what a decision depends on.
type gate struct {
	mode     Mode
	trusted  bool
	can      Abilities
	allowed  []string
	excluded []string
	granted  func(tools.Runs) bool
	within   func(path string) string // relative to the workspace folder that holds it
	elicits  bool                     // the client can ask what the model wants to know
	isPlan   func(path string) bool   // a plan of the session; nil: it has none
}

func (g gate) decide(tool string, e tools.Effect) verdict {
	if slices.Contains(g.excluded, tool) {
		return denied(tools.PolicyViolation, "tools.exclude", "The tool %s is switched off in the settings.", tool)
	}
	switch e := e.(type) {
	case tools.Reads:
		return g.reads(e)
	case tools.Edits:
		return g.edits(tool, e)
	case tools.Runs:
		return g.runs(tool, e)
	case tools.Notes, tools.Ends: // what the session itself has started it may end
		return verdict{kind: allow}
	case tools.Asks:
		return g.asks()
	case tools.Plans:
		return g.plans(tool)
	case tools.Presents:
		return g.presents()
	case tools.Remembers:
		return g.remembers(tool)
	case tools.Sends:
		return g.sends(tool)
	}
	panic(fmt.Sprintf("agent: unknown effect %T", e))
}

func (g gate) reads(e tools.Reads) verdict {
	for _, p := range e.Paths {
		if tools.LooksSecret(p) {
			return g.question("secret files", fmt.Sprintf("%s looks as if it holds secrets; its text would be sent to the model.", filepath.Base(p)))
		}
	}
	return verdict{kind: allow}
}

func (g gate) edits(tool string, e tools.Edits) verdict {
	if g.mode == PlanMode {
		if g.plan(e) {
			return verdict{kind: allow}
		}
		return denied(tools.PolicyViolation, "mode plan", "In plan mode nothing is changed but the session's own plans. Say what you would change instead.")
	}
	guarded := ""
	for _, f := range e.Files {
		if g.isPlan != nil && g.isPlan(f.Path) {
			continue // wherever the state folder is
		}
		for _, path := range []string{f.Path, f.NewPath} {
			switch protect.Of(g.within(path)) {
			case protect.Sealed:
				return denied(tools.PolicyViolation, "protected path", "%s is protected: it decides what may run, so no tool may change it.", path)
			case protect.Guarded:
				guarded = fmt.Sprintf("%s can make other programs run code.", filepath.Base(path))
			case protect.Open:
			}
		}
	}
	if g.trusted && guarded == "" && (g.mode.acts() || slices.Contains(g.allowed, tool)) {
		return verdict{kind: allow}
	}
	if g.can.Reviews {
		return verdict{kind: review, reason: guarded}
	}
	return g.question("mode "+string(g.mode), strings.TrimSpace("The edit needs the user's approval. "+guarded))
}

func (g gate) runs(tool string, e tools.Runs) verdict {
	switch {
	case !g.trusted:
		return denied(tools.Untrusted, "untrusted_workspace", "untrusted_workspace: the folder is restricted, so commands do not run here. The user can trust it (command emendo.trust, or `emendo trust add`).")
	case g.mode == PlanMode:
		return denied(tools.PolicyViolation, "mode plan", "In plan mode no command runs. Say what you would run instead.")
	case g.mode == Yolo && e.Destructive != "":
		return g.question("destructive commands", "There is no sandbox, and the command could destroy something: "+e.Destructive+".")
	case g.mode == Yolo, g.permitted(tool, e), g.granted(e):
		return verdict{kind: allow}
	}
	reason := ""
	if e.Destructive != "" {
		reason = "It could destroy something: " + e.Destructive + "."
	}
	return g.question("mode "+string(g.mode), reason)
}

// permitted says whether the user's list of tools covers the command.
func (g gate) permitted(tool string, e tools.Runs) bool {
	var prefixes []string
	for _, a := range g.allowed {
		if a == tool {
			return true
		}
		if p, ok := strings.CutPrefix(a, tool+"("); ok && strings.HasSuffix(p, ")") {
			prefixes = append(prefixes, strings.TrimSuffix(p, ")"))
		}
	}
	return len(prefixes) > 0 && shell.Allowed(prefixes, e)
}

// question asks, or denies when nobody is there.
func (g gate) question(rule, reason string) verdict {
	if !g.can.Asks {
		return denied(tools.PolicyViolation, rule, "%s", strings.TrimSpace(reason+" It needs the user's approval, and nobody is there to give it. Go on without it, or say what the user should do."))
	}
	return verdict{kind: ask, reason: reason}
}
