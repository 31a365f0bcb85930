package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// Whatever a model runs in a trusted clone at level A, the user's next git commands run
// none of its programs.
func TestTheUsersNextCommitRunsNoPlantedProgram(t *testing.T) {
	w := repository(t)
	w.env = append(w.env, levelVariable+"=A")
	ran := filepath.Join(filepath.Dir(w.dir), "ran") // outside, where the sandbox cannot write
	program := "#!/bin/sh\necho \"$0 $*\" >>" + ran + "\ncat >/dev/null 2>&1\nexit 0\n"
	for _, name := range []string{"scripts/check", "tools/clean"} {
		w.write(name, "#!/bin/sh\ncat\n")
		if err := os.Chmod(filepath.Join(w.dir, name), 0o755); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	w.write("conf/a", "[include]\n\tpath = b\n")
	w.git("rm", "-q", ".npmrc") // which git only reads if it runs alone
	w.git("config", "include.path", "../conf/a")
	w.git("config", "filter.x.clean", "tools/clean")
	w.write(".gitattributes", "*.x filter=x\n")
	w.write(".gitignore", "node_modules\n")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "with tools")
	if err := os.Symlink("../../scripts/check", filepath.Join(w.dir, ".git/hooks/pre-commit")); err != nil {
		t.Fatal(err)
	}
	w.git("commit", "-q", "--allow-empty", "-m", "the hook runs")

	const repository = `d() { mkdir -p $1/refs/heads; cp -r .git/objects $1/; git rev-parse HEAD >$1/refs/heads/main; echo 'ref: refs/heads/main' >$1/HEAD; printf '[core]\n\tbare = false\n\tfsmonitor = %s/evil\n\tpager = %s/evil\n\thooksPath = %s\n' "$R" "$R" "$R" >$1/config; }; `
	lines := []string{
		"cat >evil <<'EOF'\n" + program + "EOF\nchmod +x evil; for n in pre-commit post-commit post-index-change reference-transaction post-checkout; do cp evil $n; done",
		"cp evil scripts/check; cp evil tools/clean; rm -rf scripts tools; mkdir -p scripts tools; cp evil scripts/check; cp evil tools/clean",
		"R=$PWD; printf '[core]\\n\\tfsmonitor = %s/evil\\n\\thooksPath = %s\\n' $R $R >conf/b; cp conf/b conf/a; cat conf/b >>.git/config; cp conf/b .git/config.worktree",
		"mv conf conf2; mkdir conf; cp conf2/b conf/a; git status",
		"R=$PWD; " + repository + "for p in sub build/x node_modules/p vendor/y slots/00; do d $p/.git; done; d bare; mkdir slots/{01..99}; git add -A",
		"R=$PWD; " + repository + "d build/z/.git; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),build/z; d node_modules/q/.git; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),node_modules/q; git commit -qm 'with parts'",
		"R=$PWD; cp evil .git/hooks/post-commit; mv .git/hooks .git/h; mkdir .git/hooks; mv .git .g; ln -sfn ../evil .git/hooks/pre-commit; git config core.fsmonitor $R/evil; git add -A",
		"rm .git/HEAD; git add -A",
		"cp evil scripts/check; cp evil tools/clean; echo 'ref: refs/heads/main' >.git/HEAD; git add -A",
		"mkdir -p .git/rebase-merge; echo \"exec $PWD/evil\" >.git/rebase-merge/git-rebase-todo; git add -A",
		"ln -s $HOME/.bashrc .git/COMMIT_EDITMSG.x; rm -f .git/COMMIT_EDITMSG; ln -s $PWD/evil .git/COMMIT_EDITMSG; git add -A",
	}
	for _, l := range lines {
		w.model.Add(shellCall(l))
	}
	w.model.Add(geminitest.Say("Done."))
	w.run("-p", "go on", "--approval-mode", "yolo").wantCode(t, 0)

	if _, err := os.Lstat(filepath.Join(w.dir, ".git/HEAD")); err != nil { // the user fixes what the model has broken
		w.put(filepath.Join(w.dir, ".git/HEAD"), "ref: refs/heads/main\n")
	}
	w.write("a.x", "x\n")
	w.write("a.txt", "changed\n")
	for _, args := range [][]string{{"status"}, {"add", "-A"}, {"status", "--short"}, {"diff", "--cached", "--stat"}, {"commit", "-q", "-m", "the user's"}, {"log", "-p", "-1", "--stat"}, {"switch", "-q", "-c", "new"}, {"stash"}} {
		w.git(args...)
	}
	if b, err := os.ReadFile(ran); err == nil {
		t.Errorf("these ran:\n%s", b)
	}
	if got := w.git("log", "--format=%s", "-1"); strings.TrimSpace(got) != "the user's" {
		t.Errorf("the last commit is %q", got)
	}
}
