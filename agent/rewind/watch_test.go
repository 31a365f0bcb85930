package rewind

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/git"
)

// gitHere returns the machine's git with its own settings.
func gitHere(t *testing.T) Git {
	t.Helper()
	g := git.Find([]string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "GIT_DIR=nowhere"}, nil)
	if !g.Found() {
		t.Fatal("these tests need git: install it")
	}
	return g
}

func must(t *testing.T, g Git, dir string, args ...string) {
	t.Helper()
	args = append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"}, args...)
	if _, err := g.Run(t.Context(), dir, nil, args...); err != nil {
		t.Fatal(err)
	}
}

// revertAll reverts the changes of a turn and returns the gaps.
func revertAll(t *testing.T, j *Journal, tree *disk.Tree, turn string) (gaps map[string]string) {
	t.Helper()
	entries, err := j.Entries([]string{turn})
	if err != nil {
		t.Fatal(err)
	}
	gaps = map[string]string{}
	for _, e := range slices.Backward(entries) {
		rel, _ := filepath.Rel(tree.Folders()[0], e.Name)
		if e.Gap != "" {
			gaps[rel] += e.Gap
			continue
		}
		p, err := tree.Resolve(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		var now Content
		was, err := os.ReadFile(e.Name)
		if err == nil {
			now = Decode(was)
			fi, err := os.Stat(e.Name)
			if err != nil {
				t.Fatal(err)
			}
			now.Mode = fi.Mode().Perm()
		}
		before, err := j.Content(e.Before)
		if err != nil {
			t.Fatal(err)
		}
		after, err := j.Content(*e.After)
		if err != nil {
			t.Fatal(err)
		}
		want, reason := revert(before, after, now)
		if reason != "" {
			t.Errorf("%s: %s", rel, reason)
		}
		data, err := want.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := restore(t.Context(), tree, []step{{path: p, was: was, want: data, wasMode: now.Mode, mode: want.Mode}}); err != nil {
			t.Fatal(err)
		}
	}
	return gaps
}

func TestChangesOfCommandsAreReverted(t *testing.T) {
	large := strings.Repeat("x", MaxFile+1)
	start := map[string]string{
		"clean": "clean\n", "dirty": "committed\n", "removed": "r\n", "restored": "committed\n", "sub/deep é\n.txt": "deep\n", "binary": "a\x00b",
		"big": large, ".gitignore": "*.log\nbuild/\n", ".emendoignore": "*.tmp\n", "filtered.x": "f\n", "empty": "",
	}
	for _, c := range []struct {
		name     string
		git      bool
		commands []func(t *testing.T, dir string)
		gaps     []string // files that cannot be reverted
	}{
		{name: "edits, new and removed files, without a repository", commands: []func(*testing.T, string){edits}},
		{name: "edits, new and removed files, in a repository", git: true, commands: []func(*testing.T, string){edits}},
		{name: "one command after the other", git: true, commands: []func(*testing.T, string){edits, func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "clean"), "again\n")
			write(t, filepath.Join(dir, "removed"), "here again\n")
			os.Remove(filepath.Join(dir, "new"))
		}}},
		{name: "a commit", git: true, commands: []func(*testing.T, string){edits, func(t *testing.T, dir string) {
			g := gitHere(t)
			must(t, g, dir, "add", "-A")
			must(t, g, dir, "commit", "-q", "-m", "two")
			write(t, filepath.Join(dir, "clean"), "after the commit\n")
		}}},
		{name: "dirty files are put back as they were committed", git: true, commands: []func(*testing.T, string){func(t *testing.T, dir string) {
			must(t, gitHere(t), dir, "checkout", "-q", "--", ".")
			must(t, gitHere(t), dir, "clean", "-qfd")
		}}},
		{name: "a large file that git has not", git: false, gaps: []string{"big"}, commands: []func(*testing.T, string){func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "big"), "small now\n")
		}}},
		{name: "a large file that git has", git: true, commands: []func(*testing.T, string){func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "big"), "small now\n")
		}}},
		{name: "a file that git keeps in another form", git: true, gaps: []string{"filtered.x"}, commands: []func(*testing.T, string){func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "filtered.x"), "other\n")
		}}},
		{name: "files that are not ignored any more are not taken for new ones", git: true, gaps: []string{"build/out"}, commands: []func(*testing.T, string){func(t *testing.T, dir string) {
			os.Remove(filepath.Join(dir, ".gitignore"))
		}}},
		{name: "ignored files", git: true, commands: []func(*testing.T, string){ignoredEdits}},
		{name: "ignored files, without a repository", commands: []func(*testing.T, string){ignoredEdits}},
		{name: "a file that is not ignored any more, without a repository", commands: []func(*testing.T, string){func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".emendoignore"), "")
		}}},
		{name: "an old file that was moved here", git: true, gaps: []string{"moved"}, commands: []func(*testing.T, string){func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "moved"), "m\n")
			if err := os.Chtimes(filepath.Join(dir, "moved"), time.Unix(0, 0), time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
		}}},
		{name: "the repository is gone", git: true, gaps: []string{"."}, commands: []func(*testing.T, string){func(t *testing.T, dir string) {
			os.RemoveAll(filepath.Join(dir, ".git"))
		}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := folder(t, start)
			dir := tree.Folders()[0]
			g := gitHere(t)
			if c.git {
				write(t, filepath.Join(dir, ".gitattributes"), "*.x filter=none\n")
				must(t, g, dir, "init", "-q")
				must(t, g, dir, "add", "-A")
				must(t, g, dir, "commit", "-q", "-m", "one")
			}
			write(t, filepath.Join(dir, "dirty"), "the user's\n")
			write(t, filepath.Join(dir, "untracked"), "u\n")
			write(t, filepath.Join(dir, "noise.log"), "ignored\n")
			write(t, filepath.Join(dir, "noise.tmp"), "ignored\n")
			write(t, filepath.Join(dir, "build", "out"), "built\n")
			was := files(t, tree)
			j := NewStore(filepath.Join(t.TempDir(), "checkpoints"), g).Journal("s")
			w := j.watch("turn", tree)
			for _, command := range c.commands {
				v, err := w.before(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				command(t, dir)
				if _, err := w.after(t.Context(), v); err != nil {
					t.Fatal(err)
				}
			}
			changed := files(t, tree)
			gaps := revertAll(t, j, tree, "turn")
			if gaps["."] == "" {
				t.Error("the journal does not say that a command ran")
			}
			got := files(t, tree)
			for _, name := range c.gaps {
				if gaps[name] == "" {
					t.Errorf("%s is no gap: %q", name, gaps)
				}
				if text, ok := changed[name]; ok {
					was[name] = text
				}
			}
			check(t, got, was)
		})
	}
}

func ignoredEdits(t *testing.T, dir string) {
	write(t, filepath.Join(dir, "noise.log"), "changed\n")
	write(t, filepath.Join(dir, "new.log"), "new\n")
	os.Remove(filepath.Join(dir, "noise.tmp"))
}

func edits(t *testing.T, dir string) {
	write(t, filepath.Join(dir, "clean"), "changed\n")
	write(t, filepath.Join(dir, "dirty"), "changed\n")
	write(t, filepath.Join(dir, "untracked"), "changed\n")
	write(t, filepath.Join(dir, "sub", "deep é\n.txt"), "changed\n")
	write(t, filepath.Join(dir, "binary"), "c\x00")
	write(t, filepath.Join(dir, "empty"), "no more\n")
	write(t, filepath.Join(dir, "new"), "new\n")
	write(t, filepath.Join(dir, "folder", "new"), "new\n")
	os.Remove(filepath.Join(dir, "removed"))
}

func TestJournalIsPrivateAndChecked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "checkpoints")
	store := NewStore(dir, Git{})
	j := store.Journal("s")
	hash, err := j.Put([]byte("text\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Add(Entry{Turn: "t", Name: "/a", Before: State{Hash: hash}}); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		fi, serr := os.Stat(path)
		if err != nil || serr != nil || fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v, mode %v", path, err, serr, fi.Mode())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(j.blob(hash), []byte("torn\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Content(State{Hash: hash}); err == nil {
		t.Error("damaged bytes are given")
	}
	if err := store.Delete("s"); err != nil {
		t.Fatal(err)
	}
	if l, err := os.ReadDir(dir); err != nil || len(l) > 0 {
		t.Errorf("left: %v, %v", l, err)
	}
}

func TestLargeJournalIsReadQuickly(t *testing.T) {
	if testing.Short() {
		t.Skip("needs many files")
	}
	const files = 100_000 // as "git checkout" of another branch leaves them
	j := NewStore(t.TempDir(), Git{}).Journal("s")
	var l []Entry
	for i := range files {
		name := fmt.Sprint("/folder/file", i)
		l = append(l, Entry{Turn: "1", Name: name}, Entry{Turn: "1", Name: name, After: &State{}})
	}
	if err := j.Add(l...); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(j.path())
	if err != nil {
		t.Fatal(err)
	}
	got, compared := entriesOf(data, []string{"1"})
	if len(got) != files {
		t.Errorf("%d entries, want %d", len(got), files)
	}
	if compared > files { // billions, when each is compared with all
		t.Errorf("%d lines were compared, want at most %d", compared, files)
	}
}

func TestEntries(t *testing.T) {
	begun := Entry{Turn: "1", Name: "/a", Before: State{Hash: "x"}}
	done := Entry{Turn: "1", Name: "/a", Before: State{Hash: "x"}, After: &State{Hash: "y"}}
	two := Entry{Turn: "2", Name: "/a", Before: State{Hash: "y"}, After: &State{}}
	unended := Entry{Turn: "1", Name: "/", Gap: gapUnended}
	elsewhere := Entry{Turn: "1", Name: "/", Gap: gapElsewhere}
	behind := Entry{Turn: "1", Name: "/", Gap: "a command went on in the background"}
	for _, c := range []struct {
		name  string
		lines []Entry
		turns []string
		want  []Entry
	}{
		{name: "of the turns that are asked for", lines: []Entry{done, two}, turns: []string{"2"}, want: []Entry{two}},
		{name: "of no turn", lines: []Entry{done, two}},
		{name: "a change that ended is one", lines: []Entry{begun, done}, turns: []string{"1"}, want: []Entry{done}},
		{name: "one that did not is recorded", lines: []Entry{begun, two}, turns: []string{"1", "2"}, want: []Entry{begun, two}},
		{name: "a second change is another one", lines: []Entry{begun, done, begun, done}, turns: []string{"1"}, want: []Entry{done, done}},
		{name: "a command that ended", lines: []Entry{unended, elsewhere}, turns: []string{"1"}, want: []Entry{elsewhere}},
		{name: "two commands", lines: []Entry{unended, elsewhere, unended, elsewhere}, turns: []string{"1"}, want: []Entry{elsewhere}},
		{name: "what another command left unknown stays so", lines: []Entry{unended, elsewhere, behind, unended, elsewhere}, turns: []string{"1"}, want: []Entry{behind, elsewhere}},
		{name: "reverted changes are gone", lines: []Entry{done, two, {Undone: []string{"2"}}}, turns: []string{"1", "2"}, want: []Entry{done}},
		{name: "a turn continues after it was reverted", lines: []Entry{done, {Undone: []string{"1"}}, done}, turns: []string{"1"}, want: []Entry{done}},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := NewStore(t.TempDir(), Git{}).Journal("s")
			if err := j.Add(c.lines...); err != nil {
				t.Fatal(err)
			}
			got, err := j.Entries(c.turns)
			if err != nil || !slices.EqualFunc(got, c.want, func(a, b Entry) bool {
				return a.Turn == b.Turn && a.Name == b.Name && a.Before == b.Before && a.Gap == b.Gap && (a.After == nil) == (b.After == nil)
			}) {
				t.Errorf("got %+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}
