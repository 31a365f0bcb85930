package commits

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/private"
)

func sorted(l []string) []string { return slices.Sorted(slices.Values(l)) }

// Each case begins after a turn that changed the lines 5 and 20 of a.
func TestWhoseCommitCounts(t *testing.T) {
	after := numbered(5, 20)
	for _, c := range []struct {
		name string
		do   func(w *world, p *process)
		want string
	}{
		{"none", func(*world, *process) {}, "a: - -"},
		{"the user's", func(w *world, _ *process) { w.commit() }, "a: kept kept"},
		{"the user's, of another file", func(w *world, _ *process) {
			w.write("b", numbered(1))
			w.git("commit", "-qm", "x", "b")
		}, "a: - -"},
		{"the user's, where it does not count", func(w *world, p *process) {
			p.settings.Review.KeepOnCommit = false
			w.commit()
		}, "a: - -"},
		{"the user's, of a part", func(w *world, _ *process) {
			w.gitWith("y\nn\n", "add", "-p", "a")
			w.git("commit", "-qm", "part")
		}, "a: kept -"},
		{"the user's, amended by the rest", func(w *world, p *process) {
			w.gitWith("y\nn\n", "add", "-p", "a")
			w.git("commit", "-qm", "part")
			p.look("a: kept -")
			w.git("commit", "-qa", "--amend", "--no-edit")
		}, "a: kept kept"},
		{"the user's, with a line beside a hunk left out", func(w *world, _ *process) {
			w.write("a", strings.Replace(after, "line 7\n", "line seven\n", 1))
			w.git("add", "a")
			w.write("a", after)
			w.git("commit", "-qm", "x")
		}, "a: - kept"},
		{"the user's, with a line further away left out", func(w *world, _ *process) {
			w.write("a", strings.Replace(after, "line 9\n", "line nine\n", 1))
			w.git("add", "a")
			w.write("a", after)
			w.git("commit", "-qm", "x")
		}, "a: kept kept"},
		{"the user's, with their own changes in it", func(w *world, _ *process) {
			w.write("a", strings.Replace(after, "LINE 5\n", "line five\n", 1))
			w.commit()
		}, "a: kept kept"},
		{"the user's, on a new branch, and back", func(w *world, p *process) {
			w.git("checkout", "-qb", "side")
			w.commit()
			w.git("checkout", "-q", "main")
			w.git("checkout", "-q", "side")
		}, "a: kept kept"},
		{"the user's, and a look while another branch is checked out", func(w *world, p *process) {
			w.git("checkout", "-qb", "side")
			w.commit()
			w.git("checkout", "-q", "main")
			p.look("a: - -") // HEAD is where it was
			w.git("checkout", "-q", "side")
		}, "a: kept kept"},
		{"only another branch, and back", func(w *world, p *process) {
			w.git("checkout", "-qb", "side")
			p.look("a: - -")
			w.git("checkout", "-q", "main")
		}, "a: - -"},
		{"the user's, rebased", func(w *world, _ *process) {
			w.git("branch", "side")
			w.commit()
			w.git("checkout", "-q", "side")
			w.write("b", numbered(3))
			w.commit()
			w.git("checkout", "-q", "main")
			w.git("rebase", "-q", "side")
		}, "a: kept kept"},
		{"the user's, undone by another", func(w *world, p *process) {
			w.commit()
			p.look("a: kept kept")
			w.git("reset", "-q", "--soft", "HEAD^")
		}, "a: kept kept"},
		{"one with a date of before the turn", func(w *world, _ *process) {
			w.git("commit", "-qam", "x", "--date=2001-01-01T00:00:00Z") // the author's date says nothing
		}, "a: kept kept"},
		{"one in another work tree", func(w *world, _ *process) {
			other := filepath.Join(filepath.Dir(w.dir), "other")
			w.git("worktree", "add", "-q", other)
			w.write(filepath.Join(other, "a"), after)
			w.git("-C", other, "commit", "-qam", "there")
		}, "a: - -"},
		{"during a turn, by whomever", func(w *world, p *process) { p.turn(nil, w.commit) }, "a: committed committed"},
		{"during a turn, and amended by the user", func(w *world, p *process) {
			p.turn(nil, w.commit)
			w.git("commit", "-q", "--amend", "-m", "mine")
		}, "a: committed committed"},
		{"during a turn, and rebased by the user", func(w *world, p *process) {
			w.git("branch", "side")
			p.turn(nil, w.commit)
			w.git("checkout", "-q", "side")
			w.write("b", numbered(3))
			w.commit()
			w.git("checkout", "-q", "main")
			w.git("rebase", "-q", "side")
		}, "a: committed committed"},
		{"during a turn, on another branch, which the user checks out", func(w *world, p *process) {
			p.turn(nil, func() {
				w.git("checkout", "-qb", "side")
				w.commit()
				w.git("checkout", "-q", "main")
			})
			p.look("a: - -")
			w.git("checkout", "-q", "side")
		}, "a: committed committed"},
		{"by another process, in another work tree, and merged", func(w *world, p *process) {
			other := filepath.Join(filepath.Dir(w.dir), "other")
			w.git("worktree", "add", "-q", other, "-b", "side")
			q := w.start(nil, other)
			w.write("a", numbered())
			q.turn(nil, func() {
				w.write(filepath.Join(other, "a"), after)
				w.git("-C", other, "commit", "-qam", "there")
			})
			w.git("merge", "-q", "--ff-only", "side")
		}, "a: committed committed"},
		{"while another process works there", func(w *world, p *process) {
			q := w.start(nil, filepath.Dir(w.dir))
			work := q.begin()
			defer work.End()
			w.commit()
			p.look("a: committed committed")
		}, "a: committed committed"},
		{"after another process has worked there", func(w *world, p *process) {
			w.start(nil, filepath.Dir(w.dir)).turn(nil, nil)
			w.commit()
		}, "a: kept kept"},
		{"while another process works elsewhere", func(w *world, p *process) {
			q := w.start(nil, w.home)
			work := q.begin()
			defer work.End()
			w.commit()
			p.look("a: kept kept")
		}, "a: kept kept"},
		{"after a restart", func(w *world, p *process) {
			sets := p.ledger.List("", "", "")
			p.stop()
			w.commit()
			w.start(sets).look("a: kept kept")
		}, "a: - -"},
		{"during a turn, before a restart", func(w *world, p *process) {
			sets := p.ledger.List("", "", "")
			p.turn(nil, w.commit)
			p.stop()
			w.start(sets).look("a: committed committed")
		}, "a: committed committed"},
		{"before a restart, with another branch since", func(w *world, p *process) {
			sets := p.ledger.List("", "", "")
			p.stop()
			w.git("checkout", "-qb", "side")
			w.start(sets).look("a: - -")
		}, "a: - -"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			p := w.start(nil)
			p.turn(map[string]string{"a": after}, nil)
			c.do(w, p)
			p.look(c.want)
			p.look(c.want) // a second look changes nothing
		})
	}
}

// A process that was killed may have made the commit that is found: nobody knows.
func TestAfterAKill(t *testing.T) {
	w := newWorld(t)
	p := w.start(nil)
	p.turn(map[string]string{"a": numbered(5), "b": numbered(5)}, nil)
	sets := p.ledger.List("", "", "")
	p.begin()
	w.git("commit", "-qm", "x", "a")
	p.commits.journal.held.Close() // as the kernel does
	q := w.start(sets)
	q.look("a: committed; b: -")
	w.commit()
	q.look("a: committed; b: kept")
	if files, err := filepath.Glob(filepath.Join(w.state, "*"+lock)); err != nil || len(files) > 0 {
		t.Errorf("left are %q, %v", files, err)
	}
}

// What cannot be read may have noted anything, until it was last written if its process has ended.
func TestNotesThatCannotBeRead(t *testing.T) {
	for _, c := range []struct {
		written time.Duration // after the commit
		runs    bool
		want    string
	}{
		{2 * time.Second, false, "a: committed"},
		{-2 * time.Second, false, "a: kept"},
		{-2 * time.Second, true, "a: committed"},
	} {
		w := newWorld(t)
		p := w.start(nil)
		p.turn(map[string]string{"a": numbered(5)}, nil)
		broken := filepath.Join(w.state, "broken"+notes)
		w.write(broken, "")
		at := time.Now().Add(c.written)
		if err := os.Chtimes(broken, at, at); err != nil {
			t.Fatal(err)
		}
		if c.runs {
			f, err := private.OpenFile(lockOf(broken), os.O_CREATE|os.O_RDWR)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if ok, err := private.TryLock(f); err != nil || !ok {
				t.Fatal(ok, err)
			}
		}
		w.git("commit", "-qam", "x")
		p.late = 2 * time.Second
		p.look(c.want)
	}
}

func TestNotesAreFewAndGoAway(t *testing.T) {
	w := newWorld(t)
	p := w.start(nil)
	p.turn(nil, nil)
	p.turn(nil, nil)
	p.stop()
	files := func() []string {
		l, err := filepath.Glob(filepath.Join(w.state, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := files()
	if len(l) != 1 {
		t.Fatalf("after two turns there are %q", l)
	}
	var n noted
	if err := json.Unmarshal([]byte(w.read(l[0])), &n); err != nil || len(n.Commits) > 0 || n.Places[w.dir].Works != 0 || n.Places[w.dir].Ended.IsZero() {
		t.Errorf("%v: it notes %+v", err, n)
	}
	old := time.Now().Add(-keptFor - time.Hour)
	if err := os.Chtimes(l[0], old, old); err != nil {
		t.Fatal(err)
	}
	q := w.start(nil)
	q.turn(nil, nil)
	if left := files(); len(left) != 2 || slices.Contains(left, l[0]) { // its own, with the lock
		t.Errorf("left are %q", left)
	}
}

// What becomes of the kinds of changes when the user commits everything.
func TestWhatACommitHas(t *testing.T) {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	for _, c := range []struct {
		name   string
		setUp  func(w *world)
		files  map[string]string
		commit func(w *world)
		want   string
	}{
		{name: "a new file", files: map[string]string{"new": "x\n"}, want: "new: kept"},
		{name: "a new file that is not added", files: map[string]string{"new": "x\n"}, commit: (*world).commitOther, want: "new: -"},
		{name: "a removed file", files: map[string]string{"a": ""}, want: "a: kept"},
		{name: "a removed file that was never added", setUp: func(w *world) { w.write("new", "x\n") }, files: map[string]string{"new": ""}, want: "new: -"},
		{name: "an ignored file", setUp: func(w *world) { w.write(".gitignore", "log\n") }, files: map[string]string{"log": "x\n"}, want: "log: -"},
		{name: "a removed ignored file", setUp: func(w *world) {
			w.write(".gitignore", "log\n")
			w.write("log", "x\n")
		}, files: map[string]string{"log": ""}, want: "log: -"},
		{name: "line ends that git converts", setUp: func(w *world) {
			w.git("config", "core.autocrlf", "true")
			w.write("c", crlf(numbered()))
		}, files: map[string]string{"c": crlf(numbered(3))}, want: "c: kept"},
		{name: "a part, with line ends that git converts", setUp: func(w *world) {
			w.git("config", "core.autocrlf", "true")
			w.write("c", crlf(numbered()))
		}, files: map[string]string{"c": crlf(numbered(3, 20))}, commit: func(w *world) {
			w.gitWith("n\ny\n", "add", "-p", "c")
			w.git("commit", "-qm", "x")
		}, want: "c: - kept"},
		{name: "a part, with line ends that git takes away", setUp: func(w *world) {
			w.git("config", "core.autocrlf", "input")
			w.write("c", numbered())
		}, files: map[string]string{"c": crlf(numbered(3))}, want: "c: kept"},
		{name: "changed line ends that count", setUp: func(w *world) { w.write("c", numbered()) }, files: map[string]string{"c": crlf(numbered())}, commit: (*world).commitOther, want: "c: -"},
		{name: "another encoding", setUp: func(w *world) {
			w.write(".gitattributes", "c working-tree-encoding=ISO-8859-1\n")
			w.write("c", "caf\xe9\n"+numbered())
		}, files: map[string]string{"c": "caf\xe9\n" + numbered(3, 20)}, commit: func(w *world) {
			w.gitWith("y\nn\n", "add", "-p", "c")
			w.git("commit", "-qm", "x")
		}, want: "c: kept -"},
		{name: "a filter, which does not run", setUp: func(w *world) {
			w.git("config", "filter.case.clean", "tr a-z A-Z")
			w.git("config", "filter.case.smudge", "tr A-Z a-z")
			w.write(".gitattributes", "c filter=case\n")
			w.write("c", "one\n")
		}, files: map[string]string{"c": "two\n"}, commit: func(w *world) {
			old := time.Now().Add(-time.Hour) // of a file that has just changed git knows nothing without the filter
			if err := os.Chtimes(w.path("c"), old, old); err != nil {
				w.Fatal(err)
			}
			w.commit()
		}, want: "c: kept"},
		{name: "a submodule", setUp: func(w *world) {
			other := filepath.Join(filepath.Dir(w.dir), "other")
			w.git("init", "-q", other)
			w.write(filepath.Join(other, "c"), numbered())
			w.git("-C", other, "add", "-A")
			w.git("-C", other, "commit", "-qm", "x")
			w.git("submodule", "--quiet", "add", other, "sub")
		}, files: map[string]string{"sub/c": numbered(3)}, commit: func(w *world) { w.git("-C", "sub", "commit", "-qam", "x") }, want: "c: kept"},
		{name: "a submodule, and a commit around it", setUp: func(w *world) {
			other := filepath.Join(filepath.Dir(w.dir), "other")
			w.git("init", "-q", other)
			w.write(filepath.Join(other, "c"), numbered())
			w.git("-C", other, "add", "-A")
			w.git("-C", other, "commit", "-qm", "x")
			w.git("submodule", "--quiet", "add", other, "sub")
		}, files: map[string]string{"sub/c": numbered(3)}, want: "c: -"},
		{name: "a name in another script", files: map[string]string{"größe [x]*": "x\n"}, want: "größe [x]*: kept"},
		{name: "a line that is one of many alike", setUp: func(w *world) { w.write("c", strings.Repeat("x\n", 20)) }, files: map[string]string{"c": strings.Repeat("x\n", 21)}, commit: (*world).commitOther, want: "c: -"},
		{name: "the first commit", setUp: func(w *world) {
			if err := os.RemoveAll(filepath.Join(w.dir, ".git")); err != nil {
				w.Fatal(err)
			}
			w.git("init", "-q")
		}, files: map[string]string{"a": numbered(3)}, want: "a: kept"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			if c.setUp != nil {
				c.setUp(w)
				if w.hasCommits() {
					w.git("add", "-A", "--", ".", ":(exclude)new")
					w.git("commit", "-qm", "set up", "--allow-empty")
				}
			}
			p := w.start(nil)
			p.turn(c.files, nil)
			if c.commit == nil {
				c.commit = func(w *world) {
					w.git("add", "-A")
					w.git("commit", "-qm", "x", "--allow-empty")
				}
			}
			c.commit(w)
			p.look(c.want)
		})
	}
}

func (w *world) hasCommits() bool {
	_, err := os.Stat(filepath.Join(w.dir, ".git", "logs", "HEAD"))
	return err == nil
}

// commitOther commits something else.
func (w *world) commitOther() {
	w.Helper()
	w.write("b", numbered(30))
	w.git("commit", "-qm", "other", "b")
}

// The editor's text counts, not the disk's.
func TestUnsavedText(t *testing.T) {
	w := newWorld(t)
	p := w.start(nil)
	p.turn(map[string]string{"a": numbered(5, 20)}, nil)
	u := string(ide.FileURI(w.path("a")))
	p.editor.Open(u, w.read("a"))
	at := strings.Index(w.read("a"), "line 18")
	p.editor.Type(u, at, at+4, "LINE")
	w.commit()
	p.look("a: kept -")
	p.editor.Undo()
	w.commitOther()
	p.look("a: kept kept")
}

// A rebase that waits is looked at once it has ended.
func TestARebaseThatWaits(t *testing.T) {
	w := newWorld(t)
	p := w.start(nil)
	p.turn(map[string]string{"a": numbered(5)}, nil)
	w.commit()
	w.write("b", numbered(6))
	w.git("-c", "sequence.editor=sed -i.bak s/^pick/edit/", "-c", "rebase.autoStash=true", "rebase", "-q", "-i", "HEAD^")
	p.look("a: -")
	w.git("rebase", "--continue")
	p.look("a: kept")
}

// A look that failed is made again. Where HEAD has not moved, or nothing is to be reviewed, git is
// not started: the program that fails says so in a file.
func TestGitIsStartedWhenHeadHasMoved(t *testing.T) {
	w := newWorld(t)
	p := w.start(nil)
	p.turn(map[string]string{"a": numbered(5)}, nil)
	found := p.state.Options.Git
	git, started := failing(t)
	p.state.Options.Git = git
	p.look("a: -")
	if started() {
		t.Error("git was started though HEAD has not moved")
	}
	w.commit()
	p.look("a: -")
	if !started() {
		t.Error("git was not started: nothing is proved")
	}
	p.state.Options.Git = found
	p.look("a: kept") // what failed is tried again
	w.commitOther()
	p.state.Options.Git, started = failing(t)
	p.look("a: kept")
	if started() {
		t.Error("git was started though there is nothing to review")
	}
}

// A look that nobody waits for.
func TestCheckSoon(t *testing.T) {
	w := newWorld(t)
	p := w.start(nil)
	p.turn(map[string]string{"a": numbered(5)}, nil)
	w.commit()
	changed := make(chan struct{}, 8)
	p.ledger.Watch(func(ledger.ChangeSet, bool) { changed <- struct{}{} })
	p.commits.CheckSoon()
	<-changed
	if got := p.hunks(); got != "a: kept" {
		t.Errorf("got %s", got)
	}
}

// A renamed file is in a commit that has it in its new place alone.
func TestARenamedFile(t *testing.T) {
	for want, add := range map[string][]string{"a: kept": {"-A"}, "a: -": {"a2"}} {
		w := newWorld(t)
		p := w.start(nil)
		work := p.begin()
		f, err := p.ledger.View(t.Context(), "s", w.path("a"))
		if err != nil {
			t.Fatal(err)
		}
		cs, err := p.ledger.Propose(t.Context(), ledger.Proposal{SessionID: "s", Title: "rename", Files: []ledger.Proposed{{Path: f.Path, Op: ledger.Rename, NewPath: w.path("a2"), Base: f, New: f.Text.String()}}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.ledger.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: cs.ID, Action: ledger.Accept, Unasked: true}}, "")
		if err != nil || len(r.Conflicts) > 0 {
			t.Fatal(r.Conflicts, err)
		}
		work.End()
		w.git(append([]string{"add"}, add...)...)
		w.git("commit", "-qm", "x")
		p.look(want)
	}
}
