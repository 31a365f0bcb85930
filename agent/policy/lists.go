package policy

import (
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/tools/builtin"
)

// Lists holds the settings that list tools by whether they need approval.
// Entries are names of tools, also as in Gemini CLI, or
// run_shell_command(PREFIX) for the commands that begin with PREFIX.
type Lists settings.Tools

// Priorities of the settings among the user's rules, as in Gemini CLI.
const (
	priorityExcluded = 400
	priorityAsked    = 350
	priorityAllowed  = 300
	priorityCore     = 240
)

// Rules returns the rules that the lists stand for.
func (l Lists) Rules() []*Rule {
	var out []*Rule
	add := func(setting string, entries []string, k Kind, priority int) {
		for _, entry := range entries {
			tool, prefix, narrow := entryOf(entry)
			if narrow && k != Allow && slices.Equal(prefix, nothing) { // else a typing error would lift it
				narrow = false
			}
			r := &Rule{Tier: OfUser, Name: setting, Tools: []string{tool}, Decision: k, Priority: priority, Redirects: !narrow}
			if narrow {
				r.Prefixes = [][]string{prefix}
			}
			out = append(out, r)
		}
	}
	add("tools.exclude", l.Exclude, Deny, priorityExcluded)
	add("tools.confirmationRequired", l.Confirm, Ask, priorityAsked)
	add("tools.allowed", l.Allowed, Allow, priorityAllowed)
	return append(out, l.coreRules()...)
}

// coreRules denies the tools that the list omits. It allows nothing, since a project
// may set it.
func (l Lists) coreRules() []*Rule {
	if len(l.Core) == 0 {
		return nil
	}
	var names []string
	var prefixes [][]string
	whole := false
	for _, entry := range l.Core {
		tool, prefix, narrow := entryOf(entry)
		if names = append(names, tool); tool != shellTool {
			continue
		}
		if whole = whole || !narrow; narrow {
			prefixes = append(prefixes, prefix)
		}
	}
	out := []*Rule{{Tier: OfUser, Name: "tools.core", Tools: []string{"*"}, Except: names, Decision: Deny, Priority: priorityCore}}
	if len(prefixes) > 0 && !whole {
		out = append(out, &Rule{Tier: OfUser, Name: "tools.core", Tools: []string{shellTool}, Unless: prefixes, Decision: Deny, Priority: priorityCore})
	}
	return out
}

// entryOf parses an entry of a list. An invalid prefix covers nothing.
func entryOf(entry string) (tool string, prefix []string, narrow bool) {
	tool, rest, narrow := strings.Cut(strings.TrimSpace(entry), "(")
	if now, ok := builtin.FormerNames()[tool]; ok {
		tool = now
	}
	if !narrow {
		return tool, nil, false
	}
	prefix, ok := split(strings.TrimSuffix(strings.TrimSuffix(rest, ")"), ":*"))
	if !ok || len(prefix) == 0 || tool != shellTool {
		return tool, nothing, true
	}
	return tool, prefix, true
}

// nothing is a prefix of no command.
var nothing = []string{"\x00"}

// Excluded reports whether every call of a tool is denied in a mode, so that
// the tool need not be offered to the model.
func (e *Engine) Excluded(c Call) (rule string, excluded bool) {
	m := e.matching(c)
	for _, t := range []Tier{OfAdmin, OfUser} {
		for _, r := range m.tiers[t] {
			if r.narrow() || len(r.Unless) > 0 {
				if r.Decision != Deny {
					return "", false // some calls are allowed
				}
				continue
			}
			return r.String(), r.Decision == Deny
		}
	}
	i := slices.IndexFunc(m.tiers[OfProject], func(r *Rule) bool { return r.Decision == Deny && !r.narrow() })
	if i < 0 {
		return "", false
	}
	return m.tiers[OfProject][i].String(), true
}
