package ignore

import (
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/ide/disk"
)

// The messages that git has the user edit are not hidden, unlike the rest of its
// folder.
func TestMessagesForGitAreNotIgnored(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for rel, want := range map[string]bool{
		".git/COMMIT_EDITMSG": false, ".git/MERGE_MSG": false, ".git/rebase-merge/git-rebase-todo": false,
		".git/worktrees/x/COMMIT_EDITMSG": false, "sub/.git/TAG_EDITMSG": false,
		".git/config": true, ".git/HEAD": true, ".git": true, "COMMIT_EDITMSG": false,
	} {
		p := disk.Path{Abs: filepath.Join(dir, rel), Root: dir, Rel: rel}
		if got, err := Ignored(t.Context(), tree, p, rel == ".git", Options{}); err != nil || got != want {
			t.Errorf("%s: %v, %v", rel, got, err)
		}
	}
}
