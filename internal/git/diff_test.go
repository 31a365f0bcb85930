package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestADiffRunsNothing: neither programs of the repository nor those that fetch
// what it lacks, which git runs by itself.
func TestADiffRunsNothing(t *testing.T) {
	p := here(t)
	dir := repository(t, p)
	p.must(t, dir, "add", "-A")
	ran := filepath.Join(t.TempDir(), "ran")
	evil := filepath.Join(t.TempDir(), "evil")
	write(t, evil, "#!/bin/sh\necho \"$*\" >>"+ran+"\nexit 1\n", 0o755)
	settings := "[core]\nfsmonitor = EVIL\nsshCommand = EVIL\nrepositoryformatversion = 1\n[diff]\nexternal = EVIL\nmnemonicPrefix = true\nnoprefix = true\norderFile = missing\n" +
		"[diff \"evil\"]\ncommand = EVIL\ntextconv = EVIL\n[filter \"evil\"]\nclean = EVIL\nsmudge = EVIL\n[remote \"origin\"]\nurl = ssh://nowhere/x\npromisor = true\n[extensions]\npartialClone = origin\n"
	config := filepath.Join(dir, ".git", "config")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	write(t, config, string(text)+strings.ReplaceAll(settings, "EVIL", evil), 0o644)

	for _, staged := range []bool{true, false} {
		diff, err := p.Diff(t.Context(), dir, staged, nil)
		if err != nil || !strings.Contains(string(diff), "--- a/b.pic\n+++ b/b.pic\n@@ -1 +1 @@\n-one\n+two\n") {
			t.Errorf("staged %v: %v: %s", staged, err, diff)
		}
	}
	if diff, err := p.Diff(t.Context(), dir, false, []string{filepath.Join(dir, "b.*")}); err != nil || len(diff) > 0 {
		t.Errorf("a literal name is taken for a pattern: %v: %s", err, diff)
	}

	out, err := p.Run(t.Context(), dir, nil, "rev-parse", "HEAD:b.pic")
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimSpace(string(out))
	if err := os.Remove(filepath.Join(dir, ".git", "objects", id[:2], id[2:])); err != nil {
		t.Fatal(err)
	}
	for _, staged := range []bool{true, false} {
		if diff, err := p.Diff(t.Context(), dir, staged, nil); err == nil {
			t.Errorf("staged %v: a missing object is shown: %s", staged, diff)
		}
	}
	if b, err := os.ReadFile(ran); err == nil {
		t.Errorf("a program of the repository ran: %s", b)
	}

	plain := exec.CommandContext(t.Context(), p.path, "-C", dir, "diff", "--cached", "--no-ext-diff", "--no-textconv")
	plain.Env = p.env
	_ = plain.Run() // it fails, after it has tried to fetch
	if _, err := os.Stat(ran); err != nil {
		t.Errorf("plain git runs nothing, so this test proves nothing: %v", err)
	}
}
