package reach

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fsnotify/fsnotify"
	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
)

// unasked are the terms of a command that nobody allowed.
var unasked = Extra{Unasked: true}

// A guarded is a command that runs with a watch.
type guarded struct {
	*gitbed
	profile *Profile
	watch   *Watch
	process sandbox.Process
	told    chan []Moved
}

// runs starts a command, which ends when the file stop is made.
func (b *gitbed) runs(extra Extra, line string) *guarded {
	b.T.Helper()
	g := &guarded{gitbed: b, profile: b.place.Profile(extra), told: make(chan []Moved, 100)}
	g.watch = g.profile.Watch(func(l []Moved) { g.told <- l })
	var err error
	if g.process, err = b.begin(g.profile, line+"\nuntil test -e stop; do sleep 0.01; done"); err != nil {
		b.T.Fatal(err)
	}
	return g
}

// appears waits until something was moved aside, and returns its name.
func (g *guarded) appears() string {
	g.T.Helper()
	l := <-g.told
	if len(l) != 1 {
		g.T.Fatalf("at once moved %v", l)
	}
	return g.rel(l[0].From)
}

func (g *guarded) rel(path string) string {
	rel, err := filepath.Rel(g.Work, path)
	if err != nil {
		g.T.Fatal(err)
	}
	return rel
}

// ends has the command end by itself, and returns what was moved aside in all.
func (g *guarded) ends() []string {
	g.T.Helper()
	g.Put("work/stop", "")
	out := attacktest.ReadAll(g.T, g.process)
	if e := g.process.Wait(); e != (sandbox.Exit{}) {
		g.T.Errorf("it ended with %+v: %s", e, out)
	}
	g.process.Kill(0)
	moved, err := g.watch.Close()
	more, failed := g.profile.MoveAside()
	if err = errors.Join(err, failed); err != nil {
		g.T.Error(err)
	}
	var names []string
	for _, m := range append(moved, more...) {
		names = append(names, g.rel(m.From))
	}
	slices.Sort(names)
	return names
}

func (b *gitbed) text(name string) string {
	text, _ := os.ReadFile(filepath.Join(b.Work, name)) // "" where there is none
	return string(text)
}

// What instructs agents, or runs elsewhere or later, cannot be changed by a command that nobody
// allowed. One that was allowed may change it, but after untrusted content not what
// instructs agents.
func TestWatchedFilesAreReadOnlyForUnaskedCommands(t *testing.T) {
	const line = `for f in AGENTS.md NOTES.md docs/CLAUDE.md .github/workflows/ci.yml .yarn/x; do echo evil >>$f && echo "$f"; done; (mv .github g && mkdir -p .github/workflows) && echo moved; ln -sf /etc/passwd CLAUDE.md && echo linked`
	eachMeansOfA(t, func(t *testing.T, b *gitbed) {
		for _, c := range []struct {
			name  string
			extra Extra
			want  string
		}{
			{"allowed", Extra{}, "AGENTS.md\nNOTES.md\ndocs/CLAUDE.md\n.github/workflows/ci.yml\n.yarn/x\nmoved\nlinked\n"},
			{"nobody allowed it", Extra{Unasked: true, Context: []string{"NOTES.md"}}, "linked\n"},
			{"allowed after untrusted content", Extra{Untrusted: true, Context: []string{"NOTES.md"}}, ".github/workflows/ci.yml\n.yarn/x\nmoved\nlinked\n"},
		} {
			t.Run(c.name, func(t *testing.T) {
				for _, name := range []string{"AGENTS.md", "NOTES.md", "docs/CLAUDE.md", ".github/workflows/ci.yml", ".yarn/x"} {
					b.Put("work/"+name, "mine\n")
				}
				b.link("AGENTS.md", "CLAUDE.md")
				p := b.place.Profile(c.extra)
				out := b.with(p, "exec 2>/dev/null; "+line)
				if out != c.want {
					t.Errorf("it changed %q, want %q", out, c.want)
				}
				moved := b.aside(p)
				if terms := p.before.terms; terms.context != slices.Contains(moved, "CLAUDE.md") {
					t.Errorf("moved %v", moved)
				}
				if err := errors.Join(os.RemoveAll(filepath.Join(b.Work, ".github")), os.RemoveAll(filepath.Join(b.Work, "g"))); err != nil {
					t.Error(err)
				}
			})
		}
	})
}

// What a background command that nobody allowed makes where it would be acted on is moved
// aside at once, and the command goes on. An allowed one makes it.
func TestWhatAppearsIsMovedAsideAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("attack test")
	}
	const line = "mkdir .vscode; mv .vscode .idea; echo '{}' >.idea/tasks.json\n" +
		"mkdir x; echo '{}' >x/tasks.json; until mv x .vscode; do sleep 0.01; done\necho evil >.envrc; echo evil >CLAUDE.md; echo evil >sub/.envrc\n" +
		"mkdir -p deep/er/.vscode node_modules/a/.vscode; mkdir .git/hooks 2>/dev/null; echo evil 2>/dev/null >.git/hooks/pre-commit\necho on >after"
	eachMeansOfA(t, func(t *testing.T, b *gitbed) {
		b.Put("work/sub/.idea/mine", "")
		allowed := b.runs(Extra{}, line)
		if names := allowed.ends(); slices.Contains(names, "CLAUDE.md") || b.text("CLAUDE.md") != "evil\n" {
			t.Errorf("of an allowed command %v were moved", names)
		}
		for _, name := range []string{"stop", "after", "CLAUDE.md", "x", "deep"} {
			if err := os.RemoveAll(filepath.Join(b.Work, name)); err != nil {
				t.Fatal(err)
			}
		}

		g := b.runs(unasked, line)
		missing := []string{".vscode", ".idea", ".envrc", "CLAUDE.md", "sub/.envrc"}
		for len(missing) > 0 { // while the command runs
			for _, m := range <-g.told {
				missing = slices.DeleteFunc(missing, func(name string) bool { return name == g.rel(m.From) })
			}
		}
		all := g.ends()
		if !slices.Contains(all, "deep/er/.vscode") {
			t.Errorf("moved %v in all", all)
		}
		for _, name := range []string{".vscode", ".idea", ".envrc", "CLAUDE.md", "sub/.envrc", "deep/er/.vscode", ".git/hooks/pre-commit"} {
			if _, err := os.Lstat(filepath.Join(b.Work, name)); err == nil {
				t.Errorf("%s is there", name)
			}
		}
		if _, err := os.Lstat(filepath.Join(b.Work, "node_modules/a/.vscode")); err != nil || b.text("after") != "on\n" {
			t.Errorf("the command did not go on: %v", err)
		}
	})
}

// What the user's editor writes while a background command runs is back, byte for byte, after
// it was put back, and stays; a file that it replaces stays too, until something changes it.
func TestWhatTheUserWritesMeanwhileComesBack(t *testing.T) {
	b := newGitbed(t, attacktest.MeansOfA["namespaces"])
	b.Put("work/AGENTS.md", "mine\n")
	g := b.runs(unasked, "until test -e changed; do grep -q saved AGENTS.md && echo evil >>AGENTS.md && touch changed; sleep 0.01; done")
	const text = "{\r\n  \"a\": \"\xff\"\n}"
	b.Put("work/.vscode/settings.json", text)
	moved := <-g.told
	if g.rel(moved[0].From) != ".vscode" {
		t.Fatalf("moved %v", moved)
	}
	if err := b.place.PutBack(moved[0]); err != nil {
		t.Fatal(err)
	}
	if got := b.text(".vscode/settings.json"); got != text {
		t.Errorf("it is %q, want %q", got, text)
	}
	if err := b.place.PutBack(moved[0]); err == nil {
		t.Error("it was put back twice")
	}
	b.Put("new", "saved\n") // as an editor that replaces files
	if err := os.Rename(filepath.Join(b.Base, "new"), filepath.Join(b.Work, "AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	if got := g.appears(); got != "AGENTS.md" { // the command has changed it
		t.Errorf("moved %s", got)
	}
	if diff := cmp.Diff([]string{".vscode", "AGENTS.md"}, g.ends()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := b.text(".vscode/settings.json"); got != text {
		t.Errorf("at the end it is %q, want %q", got, text)
	}
}

// The folders that are watched, also where events are lost; and no folder for a command that
// was allowed.
func TestWatchedFolders(t *testing.T) {
	p := newProject(t, "main.go")
	for i := range 3 {
		p.put(strings.Repeat("a", i+1) + "/AGENTS.md")
	}
	profile := New(Options{Folders: []string{p.folder}}).Profile(unasked)
	if diff := cmp.Diff([]string{p.folder, p.at("a"), p.at("aa"), p.at("aaa")}, profile.before.spots); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if w := New(Options{Folders: []string{p.folder}}).Profile(Extra{}).Watch(nil); w != nil {
		t.Error("an allowed command is watched")
	}
	w := profile.Watch(nil)
	p.put(".envrc")
	w.events.Errors <- fsnotify.ErrEventOverflow // events are lost
	if moved, err := w.Close(); len(moved) != 1 || err != nil {
		t.Errorf("moved %v, %v", moved, err)
	}
}

// Where the workspace is the user's home folder, a command leaves nothing there that a shell,
// git, an editor, the session or emendo starts.
func TestHomeAsWorkspace(t *testing.T) {
	if testing.Short() {
		t.Skip("attack test")
	}
	names := []string{".bashrc", ".profile", ".zshenv", ".gitconfig", ".config/git/config", ".ssh/authorized_keys", ".vscode/settings.json", ".config/nvim/init.lua", ".emacs.d/init.el", ".config/autostart/x.desktop", ".config/systemd/user/x.service", ".config/fish/config.fish", ".envrc", ".npmrc", ".config/emendo/policies/x.toml", "AGENTS.md"}
	line := "for f in " + strings.Join(names, " ") + "; do mkdir -p \"$(dirname $f)\"; echo evil >>$f; done"
	attacktest.AsEachUser(t, func(t *testing.T) {
		for _, held := range []bool{false, true} {
			b := attacktest.NewTestbed(t)
			for _, there := range []string{".bashrc", ".ssh/authorized_keys", ".gitconfig"} {
				b.Put("work/"+there, "mine\n")
			}
			place := New(Options{Folders: []string{b.Work}, Home: b.Work, Private: []string{filepath.Join(b.Work, ".config/emendo")}, Temp: b.Temp, Cache: b.Cache, Environ: []string{"PATH=/usr/bin:/bin"}})
			c := sandbox.Command{Argv: []string{"/bin/bash", "--noprofile", "--norc", "-c", line}, Dir: b.Work, Env: []string{"PATH=/usr/bin:/bin", "HOME=" + b.Work}}
			p := place.Profile(unasked)
			var start sandbox.Spawner = sandbox.System()
			if held {
				c.Profile, start = &p.Profile, attacktest.MeansOfA["namespaces"]
			}
			proc, err := start.Start(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			out := attacktest.ReadAll(t, proc)
			proc.Kill(0)
			if held {
				if _, err := p.MoveAside(); err != nil {
					t.Error(err)
				}
			}
			for _, name := range names {
				text, _ := os.ReadFile(filepath.Join(b.Work, name)) // it may not be there
				if evil := strings.Contains(string(text), "evil"); evil == held {
					t.Errorf("%s, in the sandbox %v: it holds %q\n%s", name, held, text, out)
				}
			}
		}
	})
}

// What emendo itself makes while a command runs stays, as an edit that was reviewed.
func TestWhatEmendoMakesMeanwhileStays(t *testing.T) {
	p := newProject(t, "main.go")
	profile := New(Options{Folders: []string{p.folder}, Mine: func(path string) bool { return path == p.at("AGENTS.md") || path == p.at("sub/.envrc") }}).Profile(unasked)
	w := profile.Watch(nil)
	p.put("AGENTS.md", "CLAUDE.md", "sub/.envrc", "sub/.npmrc")
	w.events.Errors <- fsnotify.ErrEventOverflow // look at all
	moved, err := w.Close()
	more, failed := profile.MoveAside()
	if err := errors.Join(err, failed); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]Moved{{p.at("CLAUDE.md"), p.at("made-by-a-command-1-CLAUDE.md.aside")}, {p.at("sub/.npmrc"), p.at("sub/made-by-a-command-1-npmrc.aside")}}, append(moved, more...)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
