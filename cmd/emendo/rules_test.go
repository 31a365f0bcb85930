package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/lsp/chat"
)

// folders returns those of emendo.
func (w *world) folders() settings.Paths {
	w.t.Helper()
	paths, err := (process{env: lookup(w.env), environ: w.env}).folders()
	if err != nil {
		w.t.Fatal(err)
	}
	return paths
}

// saved stores an answer as a session would, and returns where.
func (w *world) saved(command string) {
	w.t.Helper()
	answers := (&policies{paths: w.folders()}).answers()
	words := strings.Fields(command)
	rule := &policy.Rule{Tier: policy.OfUser, Tools: []string{"run_shell_command"}, Prefixes: [][]string{words}, Decision: policy.Allow, Answer: true}
	if err := answers.Save(policy.Offer{Scope: policy.Everywhere, Rules: []*policy.Rule{rule}}, ""); err != nil {
		w.t.Fatal(err)
	}
}

// ruleOf returns the listed rule whose text has a passage.
func (w *world) ruleOf(passage string) (policy.Listed, bool) {
	w.t.Helper()
	r := w.exec("policy", "list", "--json")
	r.wantCode(w.t, exitOK)
	var l chat.RuleList
	if err := json.Unmarshal([]byte(r.stdout), &l); err != nil {
		w.t.Fatalf("%v: %q", err, r.stdout)
	}
	for _, x := range l.Rules {
		if strings.Contains(x.Text, passage) {
			return x, true
		}
	}
	return policy.Listed{}, false
}

func TestPolicyListAndRemove(t *testing.T) {
	w := newWorld(t)
	paths := w.folders()
	w.saved("make all")
	mine := filepath.Join(paths.Config, "policies", "mine.toml")
	if err := os.WriteFile(mine, []byte("\n"+noPush), 0o600); err != nil {
		t.Fatal(err)
	}
	answer, ok := w.ruleOf("make all")
	if !ok || answer.Source != "answer" || answer.Scope != "everywhere" || answer.Tier != "user" || !answer.Removable || answer.Added.IsZero() {
		t.Fatalf("the answer is listed as %+v", answer)
	}
	byHand, ok := w.ruleOf("no push")
	if !ok || byHand.Source != mine+":3" || byHand.Removable || byHand.Text != "no push: deny commands that begin with `git push`" {
		t.Fatalf("the rule by hand is listed as %+v", byHand)
	}
	if r := w.exec("policy", "list"); r.code != exitOK || !strings.Contains(r.stdout, answer.ID) || !strings.Contains(r.stdout, mine+":3") || !strings.Contains(r.stdout, "make all") {
		t.Errorf("printed %q", r.stdout)
	}
	for _, id := range []string{"no-such", byHand.ID} {
		if r := w.exec("policy", "remove", id); r.code != exitInput || !strings.Contains(r.stderr, "policy list") {
			t.Errorf("remove %s: %d, %q", id, r.code, r.stderr)
		}
	}
	w.exec("policy", "remove", answer.ID).wantCode(t, exitOK)
	if _, still := w.ruleOf("make all"); still {
		t.Error("the answer is still listed")
	}
	if _, still := w.ruleOf("no push"); !still {
		t.Error("the rule by hand is gone")
	}
	w.exec("policy", "remove", answer.ID).wantCode(t, exitInput)
}

func TestPolicyExplain(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		level string
		args  []string
		want  []string
	}{
		{"A", []string{"--trusted", "go  test ./..."}, []string{"decision  it runs without a question\n", "runs      go  test ./...\n", "inside    the sandbox at level A", "why       The sandbox holds it", "rule      the sandbox\n"}},
		{"A", []string{"--trusted", "git push origin main"}, []string{"decision  it asks first\n", "runs      git push origin main\n", "inside    no sandbox: it cannot work in one", "why       "}},
		{"A", []string{"--trusted", "mkdir a && curl https://x.example"}, []string{"decision  it asks first\n", "inside    the sandbox at level A", "part      mkdir a: allow (the sandbox)\n", "part      curl https://x.example: ask ("}},
		{"C", []string{"--trusted", "make all"}, []string{"decision  it asks first\n", "inside    no sandbox: it can do what you can\n"}},
		{"C", []string{"--trusted", "--mode", "yolo", "make all"}, []string{"decision  it runs without a question\n", "rule      mode yolo\n", "part      make all: allow (mode yolo)\n"}},
		{"A", []string{"make all"}, []string{"decision  it does not run\n", "why       untrusted_workspace: "}},
	} {
		w.env = append(w.env, levelVariable+"="+tt.level)
		r := w.exec(append([]string{"policy", "explain"}, tt.args...)...)
		if r.code != exitOK {
			t.Errorf("%v at level %s: exit %d, %q", tt.args, tt.level, r.code, r.stderr)
		}
		for _, want := range tt.want {
			if !strings.Contains(r.stdout, want) {
				t.Errorf("%v at level %s: printed %q, want %q in it", tt.args, tt.level, r.stdout, want)
			}
		}
		if tt.want[0] == "decision  it does not run\n" && strings.Contains(r.stdout, "\nruns ") {
			t.Errorf("%v: printed %q", tt.args, r.stdout)
		}
	}
	w.exec("policy", "explain").wantCode(t, exitInput)
	w.exec("policy", "explain", " ").wantCode(t, exitInput)
}
