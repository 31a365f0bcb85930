package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/tools"
)

// TestPolicyFilesAreReloaded changes policy files while a server runs. Changes apply from
// the next prompt, and each problem is reported once.
func TestPolicyFilesAreReloaded(t *testing.T) {
	w := newWorld(t)
	var warnings []string
	p := &policies{
		paths: settings.Paths{Config: filepath.Join(w.home, "config"), State: filepath.Join(w.home, "state"), System: filepath.Join(w.home, "system")},
		warn:  func(s string) { warnings = append(warnings, s) },
	}
	reading := policy.Call{Tool: "read_file", Mode: policy.Default, Asks: true, Effect: tools.Reads{Paths: []string{filepath.Join(w.dir, "a")}}, Roots: []string{w.dir}}
	mine, ours := filepath.Join(w.home, "config", "policies", "a.toml"), filepath.Join(w.dir, ".gemini", "policies", "a.toml")
	const deny, broken = "[[rule]]\ntoolName = \"read_file\"\ndecision = \"deny\"\n", "[[rule]]\n"
	for _, step := range []struct {
		name     string
		file     string
		text     string // empty: delete the file
		trusted  bool
		want     policy.Kind
		warnings int
	}{
		{name: "no file", want: policy.Allow},
		{name: "a denial", file: mine, text: deny, want: policy.Deny},
		{name: "a mistake", file: mine, text: broken, want: policy.Ask, warnings: 1},
		{name: "the same mistake", want: policy.Ask},
		{name: "no file again", file: mine, want: policy.Allow},
		{name: "the mistake again", file: mine, text: broken, want: policy.Ask, warnings: 1},
		{name: "mended", file: mine, text: "# nothing yet\n", want: policy.Allow},
		{name: "a project's denial, restricted", file: ours, text: deny, want: policy.Allow},
		{name: "a project's denial, trusted", trusted: true, want: policy.Deny},
		{name: "a project's mistake, trusted", file: ours, text: broken, trusted: true, want: policy.Ask, warnings: 1},
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
		before := len(warnings)
		reading.Trusted = step.trusted
		if d := p.rules(w.dir, []string{w.dir}, step.trusted).Decide(reading); d.Kind != step.want {
			t.Errorf("%s: %s by %s, want %s", step.name, d.Kind, d.Rule, step.want)
		}
		if n := len(warnings) - before; n != step.warnings {
			t.Errorf("%s: warnings %q", step.name, warnings[before:])
		}
	}
}
