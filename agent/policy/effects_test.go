package policy

import (
	"cmp"
	"testing"

	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// TestSessionUpdates tests the decisions about notes, questions and
// plans in every mode.
func TestSessionUpdates(t *testing.T) {
	plan, code := edit("/state/plans/s/plan.md"), edit("/project/main.go")
	both := edit("/state/plans/s/plan.md", "/project/main.go")
	away := edit("/state/plans/s/plan.md")
	away.Files[0].NewPath = "/project/plan.md"
	all := []Mode{Default, AutoEdit, Plan, Yolo}
	for _, c := range []struct {
		name      string
		modes     []Mode
		tool      string // empty: by the effect
		effect    tools.Effect
		listed    bool // the tool needs no question by name
		confirmed bool // it always needs one
		want      string
		alone     string // with no user available
	}{
		{name: "notes", modes: all, effect: tools.Notes{}, want: "allow: reading", alone: "allow: reading"},
		{name: "finds", modes: all, effect: tools.Finds{}, want: "allow: reading", alone: "allow: reading"},
		{name: "ending what it has started", modes: all, effect: tools.Ends{}, want: "allow: reading", alone: "allow: reading"},
		{name: "reading", modes: all, effect: tools.Reads{Paths: []string{"/project/a"}}, want: "allow: reading", alone: "allow: reading"},
		{name: "reading a secret", modes: all, effect: tools.Reads{Paths: []string{"/project/.env"}}, want: "ask: secret files", alone: "deny: secret files"},
		{name: "reading a secret by name of the tool", modes: all, effect: tools.Reads{Paths: []string{"/project/.env"}}, listed: true, want: "ask: secret files", alone: "deny: secret files"},
		{name: "questions", modes: all, effect: tools.Asks{}, want: "allow: reading", alone: "deny: no user available"},
		{name: "planning", modes: []Mode{Default, AutoEdit}, effect: tools.Plans{}, want: "ask: entering plan mode", alone: "deny: no user available"},
		{name: "planning while planning", modes: []Mode{Plan}, effect: tools.Plans{}, want: "deny: mode plan", alone: "deny: mode plan"},
		{name: "planning when nothing is asked", modes: []Mode{Yolo}, effect: tools.Plans{}, want: "deny: mode yolo", alone: "deny: mode yolo"},
		{name: "planning by name", modes: []Mode{Default, AutoEdit}, effect: tools.Plans{}, listed: true, want: "allow: tools.allowed", alone: "deny: no user available"},
		{name: "a plan", modes: []Mode{Plan}, effect: tools.Presents{}, want: "ask: presented plans", alone: "deny: no user available"},
		{name: "a plan by name", modes: []Mode{Plan}, effect: tools.Presents{}, listed: true, want: "ask: tools.allowed", alone: "deny: no user available"},
		{name: "a plan outside plan mode", modes: []Mode{Default}, effect: tools.Presents{}, want: "deny: mode default", alone: "deny: mode default"},
		{name: "writing a plan", modes: []Mode{Plan}, effect: plan, want: "allow: the session's plans", alone: "allow: the session's plans"},
		{name: "writing a plan, where writing is always asked about", modes: []Mode{Plan}, effect: plan, confirmed: true, want: "ask: tools.confirmationRequired", alone: "deny: tools.confirmationRequired"},
		{name: "writing code in plan mode, where writing is always asked about", modes: []Mode{Plan}, effect: code, confirmed: true, want: "deny: mode plan", alone: "deny: mode plan"},
		{name: "writing a plan later", modes: []Mode{Default}, effect: plan, want: "ask: edits", alone: "deny: edits"},
		{name: "writing code", modes: []Mode{Default}, effect: code, want: "ask: edits", alone: "deny: edits"},
		{name: "writing code by name", modes: []Mode{Default}, effect: code, listed: true, want: "allow: tools.allowed", alone: "allow: tools.allowed"},
		{name: "writing code freely", modes: []Mode{AutoEdit}, effect: code, want: "allow: edits in mode auto_edit", alone: "allow: edits in mode auto_edit"},
		{name: "writing code when nothing is asked", modes: []Mode{Yolo}, effect: code, want: "allow: mode yolo", alone: "allow: mode yolo"},
		{name: "writing code in plan mode", modes: []Mode{Plan}, effect: code, listed: true, want: "deny: mode plan", alone: "deny: mode plan"},
		{name: "writing both", modes: []Mode{Plan}, effect: both, want: "deny: mode plan", alone: "deny: mode plan"},
		{name: "moving a plan away", modes: []Mode{Plan}, effect: away, want: "deny: mode plan", alone: "deny: mode plan"},
		{name: "a command in plan mode", modes: []Mode{Plan}, effect: tools.Runs{Analysis: shellcmd.Analysis{Command: "ls"}}, listed: true, want: "deny: mode plan", alone: "deny: mode plan"},
		{name: "remembering", modes: []Mode{Default, AutoEdit}, effect: tools.Remembers{}, want: "ask: saved memories", alone: "deny: saved memories"},
		{name: "remembering when nothing is asked", modes: []Mode{Yolo}, effect: tools.Remembers{}, want: "allow: mode yolo", alone: "allow: mode yolo"},
		{name: "remembering in plan mode", modes: []Mode{Plan}, effect: tools.Remembers{}, want: "deny: mode plan", alone: "deny: mode plan"},
		{name: "reaching out", modes: []Mode{Default, AutoEdit}, effect: tools.Sends{}, want: "ask: network access", alone: "deny: network access"},
		{name: "reaching out in plan mode", modes: []Mode{Plan}, effect: tools.Sends{}, want: "ask: network access in mode plan", alone: "deny: network access in mode plan"},
		{name: "searching", modes: []Mode{Plan, Default, AutoEdit}, tool: "google_web_search", effect: tools.Sends{Provider: true}, want: "allow: searching the web", alone: "allow: searching the web"},
		{name: "a tool that nothing is known of", modes: []Mode{Default, AutoEdit}, want: "ask: no rule", alone: "deny: no rule"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, mode := range c.modes {
				for _, asks := range []bool{true, false} {
					call := callOf(c.effect)
					call.Mode, call.Asks, call.Elicits, call.Tool = mode, asks, asks, cmp.Or(c.tool, call.Tool)
					var lists Lists
					if c.listed {
						lists.Allowed = []string{call.Tool}
					}
					if c.confirmed {
						lists.Confirm = []string{call.Tool}
					}
					want := c.want
					if !asks {
						want = c.alone
					}
					if d := New(lists.Rules(), nil).Decide(call); d.Kind.String()+": "+d.Rule != want {
						t.Errorf("in mode %s, with somebody to ask %v: %s: %s, want %s", mode, asks, d.Kind, d.Rule, want)
					}
				}
			}
		})
	}
}

func TestRestrictedFolder(t *testing.T) {
	rules := Lists{Allowed: []string{"read_file", "replace", shellTool, "save_memory", "web_fetch", "mcp_a_b"}}.Rules()
	for _, c := range []struct {
		name string
		call Call
		want string
	}{
		{"is read", callOf(tools.Reads{Paths: []string{"/project/a"}}), "allow"},
		{"has edits proposed", callOf(edit("/project/a")), "ask"},
		{"runs nothing", callOf(runs(part(1, "ls"))), "deny, restricted"},
		{"is not remembered", callOf(tools.Remembers{}), "deny, restricted"},
		{"sends nothing", callOf(tools.Sends{}), "deny, restricted"},
		{"calls no tool of others", callOf(nil), "deny, restricted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, mode := range []Mode{Default, AutoEdit, Yolo} {
				c.call.Trusted, c.call.Mode = false, mode
				d := New(rules, nil).Decide(c.call)
				got := d.Kind.String()
				if d.Restricted {
					got += ", restricted"
				}
				if got != c.want {
					t.Errorf("in mode %s: %s, want %s", mode, got, c.want)
				}
			}
		})
	}
}
