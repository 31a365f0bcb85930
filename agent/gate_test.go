package agent

import (
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
)

// TestGateOfWhatTheSessionDoesItself says of every mode what becomes of notes,
// questions and plans.
func TestGateOfWhatTheSessionDoesItself(t *testing.T) {
	plan := tools.Edits{Files: []ledger.Proposed{{Path: "/state/.emendo/plans/s/plan.md"}}}
	code := tools.Edits{Files: []ledger.Proposed{{Path: "/project/main.go"}}}
	both := tools.Edits{Files: []ledger.Proposed{plan.Files[0], code.Files[0]}}
	away := tools.Edits{Files: []ledger.Proposed{{Path: plan.Files[0].Path, NewPath: "/project/plan.md"}}}
	all := []Mode{Default, AutoEdit, PlanMode, Yolo}
	for _, c := range []struct {
		name   string
		modes  []Mode
		effect tools.Effect
		listed bool // the tool needs no question by name
		want   string
		alone  string // with nobody to ask
	}{
		{name: "notes", modes: all, effect: tools.Notes{}, want: "allow", alone: "allow"},
		{name: "questions", modes: all, effect: tools.Asks{}, want: "allow", alone: "deny: nobody to ask"},
		{name: "planning", modes: []Mode{Default}, effect: tools.Plans{}, want: "ask", alone: "deny: nobody to ask"},
		{name: "planning while editing freely", modes: []Mode{AutoEdit}, effect: tools.Plans{}, want: "ask", alone: "deny: nobody to ask"},
		{name: "planning while planning", modes: []Mode{PlanMode}, effect: tools.Plans{}, want: "deny: mode plan", alone: "deny: mode plan"},
		{name: "planning when nothing is asked", modes: []Mode{Yolo}, effect: tools.Plans{}, want: "deny: mode yolo", alone: "deny: mode yolo"},
		{name: "planning by name", modes: []Mode{Default, AutoEdit}, effect: tools.Plans{}, listed: true, want: "allow", alone: "deny: nobody to ask"},
		{name: "a plan", modes: []Mode{PlanMode}, effect: tools.Presents{}, want: "ask", alone: "deny: nobody to ask"},
		{name: "a plan by name", modes: []Mode{PlanMode}, effect: tools.Presents{}, listed: true, want: "ask", alone: "deny: nobody to ask"},
		{name: "a plan outside plan mode", modes: []Mode{Default}, effect: tools.Presents{}, want: "deny: mode default", alone: "deny: mode default"},
		{name: "writing a plan", modes: []Mode{PlanMode}, effect: plan, want: "allow", alone: "allow"},
		{name: "writing a plan later", modes: []Mode{Default}, effect: plan, want: "ask", alone: "deny: mode default"},
		{name: "writing code in plan mode", modes: []Mode{PlanMode}, effect: code, listed: true, want: "deny: mode plan", alone: "deny: mode plan"},
		{name: "writing both", modes: []Mode{PlanMode}, effect: both, want: "deny: mode plan", alone: "deny: mode plan"},
		{name: "moving a plan away", modes: []Mode{PlanMode}, effect: away, want: "deny: mode plan", alone: "deny: mode plan"},
		{name: "a command in plan mode", modes: []Mode{PlanMode}, effect: tools.Runs{Command: "ls"}, listed: true, want: "deny: mode plan", alone: "deny: mode plan"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, mode := range c.modes {
				for _, asks := range []bool{true, false} {
					g := gate{
						mode: mode, trusted: true, can: Abilities{Asks: asks}, elicits: asks, granted: func(tools.Runs) bool { return false },
						within: func(p string) string { return strings.TrimPrefix(p, "/project/") },
						isPlan: func(p string) bool { return strings.HasPrefix(p, "/state/") },
					}
					if c.listed {
						g.allowed = []string{"tool"}
					}
					want := c.want
					if !asks {
						want = c.alone
					}
					if got := word(g.decide("tool", c.effect)); got != want {
						t.Errorf("in mode %s, with somebody to ask %v: %s, want %s", mode, asks, got, want)
					}
				}
			}
		})
	}
	if got := word(gate{excluded: []string{"tool"}}.decide("tool", tools.Notes{})); got != "deny: tools.exclude" {
		t.Errorf("switched off: %s", got)
	}
}

// word is a verdict, a denial with its rule.
func word(v verdict) string {
	switch v.kind {
	case allow:
		return "allow"
	case ask:
		return "ask"
	case review:
		return "review"
	case deny:
		return "deny: " + v.rule
	}
	panic("unknown verdict")
}

func TestPlanIsApprovedWithLeaveToEditInATrustedFolderOnly(t *testing.T) {
	kinds := func(trusted bool) (l []OptionKind) {
		for _, o := range planOptions(trusted) {
			l = append(l, o.Kind)
		}
		return l
	}
	if got := kinds(true); !slices.Equal(got, []OptionKind{AllowOnce, AllowAlways}) {
		t.Errorf("trusted: %v", got)
	}
	if got := kinds(false); !slices.Equal(got, []OptionKind{AllowOnce}) {
		t.Errorf("restricted: %v", got)
	}
}
