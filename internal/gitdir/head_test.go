package gitdir

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// run runs the machine's git, for a user without settings.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"}, args...)...)
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func commit(t *testing.T, dir, message string) string {
	t.Helper()
	run(t, dir, "commit", "-q", "--allow-empty", "-m", message)
	return run(t, dir, "rev-parse", "HEAD")
}

func repository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "repo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "init", "-q")
	return dir
}

func holding(t *testing.T, file string) Repository {
	t.Helper()
	r, ok := Holding(file)
	if !ok {
		t.Fatalf("%s is in no repository", file)
	}
	return r
}

func TestHeadIsWhatGitSays(t *testing.T) {
	dir := repository(t)
	r := holding(t, filepath.Join(dir, "gone", "a"))
	want := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	want("before the first commit", r.Head(), "")
	first := commit(t, dir, "one")
	want("a branch", r.Head(), first)
	run(t, dir, "pack-refs", "--all")
	want("a packed branch", r.Head(), first)
	second := commit(t, dir, "two")
	want("a branch that is packed no longer", r.Head(), second)
	run(t, dir, "checkout", "-q", first)
	want("no branch", r.Head(), first)
	run(t, dir, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
	run(t, dir, "symbolic-ref", "HEAD", "refs/heads/alias")
	want("a ref to a branch", r.Head(), second)
	run(t, dir, "checkout", "-q", "main")

	linked := filepath.Join(filepath.Dir(dir), "linked")
	run(t, dir, "worktree", "add", "-q", linked, "-b", "side", first)
	l := holding(t, filepath.Join(linked, "a"))
	want("a linked work tree", l.Head(), first)
	third := commit(t, linked, "three")
	want("its commit there", l.Head(), third)
	want("and here", r.Head(), second)
	want("they share", l.Common, r.Common)

	run(t, dir, "submodule", "--quiet", "add", linked, "sub")
	want("a submodule", holding(t, filepath.Join(dir, "sub", "a")).Head(), third)

	if err := os.MkdirAll(filepath.Join(dir, "other"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "other", ".git"), []byte("gitdir: ../.git\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r, ok := Holding(filepath.Join(dir, "other", "a")); ok {
		t.Errorf("a .git file that the repository does not lead back to: got %v", r)
	}
}

func TestTablesOfRefsAreSeenToChange(t *testing.T) {
	dir := repository(t)
	r := holding(t, filepath.Join(dir, "a"))
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(r.Git, "reftable"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(r.Git, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("HEAD", "ref: refs/heads/.invalid\n")
	write("reftable/tables.list", "0x000000000001-0x000000000002-1.ref\n")
	before := r.Head()
	if before == "" || IsCommit(before) || r.Head() != before {
		t.Errorf("got %q, then %q", before, r.Head())
	}
	write("reftable/tables.list", "0x000000000001-0x000000000003-2.ref\n")
	if r.Head() == before {
		t.Error("a change of the refs was not seen")
	}
}

func TestMovesOfHead(t *testing.T) {
	dir := repository(t)
	r := holding(t, filepath.Join(dir, "a"))
	one := commit(t, dir, "one")
	at := r.Moves()
	two := commit(t, dir, "two")
	run(t, dir, "checkout", "-q", "-b", "side", one)
	three := commit(t, dir, "three: a\tname of\nseveral lines")
	run(t, dir, "checkout", "-q", "main")
	if got, want := strings.Join(r.MovedSince(at), " "), strings.Join([]string{two, one, three, two}, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := r.MovedSince(r.Moves()); got != nil {
		t.Errorf("since now: %v", got)
	}
	run(t, dir, "reflog", "expire", "--expire=all", "--all")
	run(t, dir, "config", "core.logAllRefUpdates", "false")
	if got := r.MovedSince(at); len(got) > 0 {
		t.Errorf("of an empty log: %v", got)
	}
}

func TestARebaseThatWaits(t *testing.T) {
	dir := repository(t)
	r := holding(t, filepath.Join(dir, "a"))
	one := commit(t, dir, "one")
	commit(t, dir, "two")
	if r.Rebasing() {
		t.Error("nothing is rebased")
	}
	c := exec.Command("git", "-C", dir, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "sequence.editor=sed -i.bak s/^pick/edit/", "rebase", "-q", "--keep-empty", "-i", one)
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !r.Rebasing() {
		t.Error("a rebase waits")
	}
	run(t, dir, "rebase", "--continue")
	if r.Rebasing() {
		t.Error("it has ended")
	}
}
