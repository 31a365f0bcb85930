package agent_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/git"
)

// Whatever git is set to show, and whatever a client attaches, a diff has no secrets.
func TestDiffsAreSentWithoutSecrets(t *testing.T) {
	files := map[string]string{
		"main.go": "package main // shown\n", "prod.env": "KEY=hidden\n", ".envrc": "hidden\n", "terraform.tfvars": "hidden\n", "service-account.json": "hidden\n",
		".pgpass": "hidden\n", ".env": "KEY=hidden\n", "sub/.npmrc": "hidden\n",
	}
	agenttest.InWorld(t, files, []modeltest.Reply{agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		run := func(args ...string) {
			t.Helper()
			cmd := exec.Command("git", append([]string{"-C", w.Dir}, args...)...)
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.State}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v: %s", args, err, out)
			}
		}
		run("init", "-q")
		run("config", "diff.mnemonicPrefix", "true")
		run("add", "-A")
		w.Agent.Process.Options.Git = git.Find([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.State}, nil)

		for _, o := range []agent.DiffOf{{}, {URI: w.URI("main.go"), Of: "staged"}, {URI: w.URI("sub"), Files: []string{w.URI("main.go"), w.URI(".env")}}} {
			d, err := w.Agent.Diff(t.Context(), o)
			left := 7
			if o.Files != nil {
				left = 1
			}
			if err != nil || strings.Contains(d.Text, "hidden") || !strings.Contains(d.Text, "+package main // shown") || d.Left != left || !d.Staged {
				t.Errorf("%+v: %v: %+v", o, err, d)
			}
		}
		if d, err := w.Agent.Diff(t.Context(), agent.DiffOf{URI: string(ide.FileURI(filepath.Dir(w.State)))}); err == nil {
			t.Errorf("outside the workspace: %+v", d)
		}

		attached := transcript.Block{Type: transcript.ResourceBlock, URI: w.URI("") + "#changes", MIME: "text/x-diff", Text: "diff --git i/.env w/.env\n--- i/.env\n+++ w/.env\n@@ -1 +1 @@\n-hidden\n+hidden\ndiff --git i/a w/a\n--- i/a\n+++ w/a\n@@ -0,0 +1 @@\n+shown\n"}
		if _, err := w.Session(policy.Default).Prompt(t.Context(), state.Prompt{Blocks: append(agenttest.Say("Explain it"), attached)}); err != nil {
			t.Fatal(err)
		}
		if sent := agenttest.TextOf(w.LastRequest()); strings.Contains(sent, "hidden") || !strings.Contains(sent, "+shown") {
			t.Errorf("the model is asked %s", sent)
		}
	})
}
