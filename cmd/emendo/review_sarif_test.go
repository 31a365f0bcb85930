//go:build sarif

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Programs of others read the SARIF of a branch without a complaint: Microsoft's Multitool,
// which checks it by the official schema and its own rules, and sarif-tools.
func TestOthersReadSARIF(t *testing.T) {
	readers := os.Getenv("EMENDO_SARIF_READERS")
	if readers == "" {
		t.Fatal("EMENDO_SARIF_READERS is not set: run make sarif")
	}
	w := branch(t, nil)
	r := w.exec("review", "--branch", "main", "--format", "sarif")
	r.wantCode(t, 0)
	log := filepath.Join(t.TempDir(), "emendo.sarif")
	w.put(log, r.stdout)
	if l := complaints(t, readers, log); len(l) > 0 {
		t.Errorf("the Multitool complains of %v", l)
	}
	broken := filepath.Join(t.TempDir(), "broken.sarif")
	w.put(broken, strings.Replace(r.stdout, `"startLine": 2`, `"startLine": 0`, 1))
	if l := complaints(t, readers, broken); len(l) == 0 {
		t.Error("the Multitool takes a line 0")
	}
	out, err := exec.Command(filepath.Join(readers, "python", "bin", "sarif"), "summary", log).CombinedOutput()
	if err != nil {
		t.Fatalf("sarif-tools: %v\n%s", err, out)
	}
	for _, want := range []string{"error: 14\n", "warning: 13\n", "note: 13\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("sarif-tools counts %s, want %s", out, want)
		}
	}
}

// complaints returns what the Multitool says of a log.
func complaints(t *testing.T, readers, log string) (l []string) {
	t.Helper()
	result := filepath.Join(t.TempDir(), "validated.sarif")
	c := exec.Command("node", filepath.Join(readers, "node_modules", "@microsoft", "sarif-multitool", "bin.js"), "validate", log, "--output", result, "--log", "ForceOverwrite")
	c.Env = append(os.Environ(), "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1") // without ICU
	out, err := c.CombinedOutput()
	b, readErr := os.ReadFile(result)
	if readErr != nil {
		t.Fatalf("the Multitool: %v, %v\n%s", err, readErr, out)
	}
	var got struct {
		Runs []struct {
			Results []struct {
				RuleID  string
				Message json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(b, &got); err != nil || len(got.Runs) != 1 {
		t.Fatalf("the Multitool writes %s (%v)", b, err)
	}
	for _, x := range got.Runs[0].Results {
		l = append(l, x.RuleID+" "+string(x.Message))
	}
	return l
}
