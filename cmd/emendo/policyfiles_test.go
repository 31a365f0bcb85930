package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/tools"
)

// TestPoliciesFollowTheirFiles changes files of rules under a server: what they
// say holds from the next prompt on, and what is wrong is told once.
func TestPoliciesFollowTheirFiles(t *testing.T) {
	w := newWorld(t)
	var told []string
	p := &policies{
		paths: settings.Paths{Config: filepath.Join(w.home, "config"), State: filepath.Join(w.home, "state"), System: filepath.Join(w.home, "system")},
		warn:  func(s string) { told = append(told, s) },
	}
	reading := policy.Call{Tool: "read_file", Mode: policy.Default, Asks: true, Effect: tools.Reads{Paths: []string{filepath.Join(w.dir, "a")}}, Roots: []string{w.dir}}
	mine, ours := filepath.Join(w.home, "config", "policies", "a.toml"), filepath.Join(w.dir, ".gemini", "policies", "a.toml")
	const deny, broken = "[[rule]]\ntoolName = \"read_file\"\ndecision = \"deny\"\n", "[[rule]]\n"
	for _, step := range []struct {
		name    string
		file    string
		text    string // empty: the file goes
		trusted bool
		want    policy.Kind
		told    int
	}{
		{name: "no file", want: policy.Allow},
		{name: "a denial", file: mine, text: deny, want: policy.Deny},
		{name: "a mistake", file: mine, text: broken, want: policy.Ask, told: 1},
		{name: "the same mistake", want: policy.Ask},
		{name: "no file again", file: mine, want: policy.Allow},
		{name: "the mistake again", file: mine, text: broken, want: policy.Ask, told: 1},
		{name: "mended", file: mine, text: "# nothing yet\n", want: policy.Allow},
		{name: "a project's denial, restricted", file: ours, text: deny, want: policy.Allow},
		{name: "a project's denial, trusted", trusted: true, want: policy.Deny},
		{name: "a project's mistake, trusted", file: ours, text: broken, trusted: true, want: policy.Ask, told: 1},
		{name: "a project's mistake, restricted", want: policy.Allow},
	} {
		switch {
		case step.file != "" && step.text == "":
			if err := os.Remove(step.file); err != nil {
				t.Fatal(err)
			}
		case step.file != "":
			w.put(step.file, step.text)
		}
		before := len(told)
		reading.Trusted = step.trusted
		if d := p.rules(w.dir, []string{w.dir}, step.trusted).Decide(reading); d.Kind != step.want {
			t.Errorf("%s: %s by %s, want %s", step.name, d.Kind, d.Rule, step.want)
		}
		if n := len(told) - before; n != step.told {
			t.Errorf("%s: told %q", step.name, told[before:])
		}
	}
}
