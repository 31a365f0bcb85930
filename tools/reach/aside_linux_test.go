package reach

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
	"github.com/emendo-dev/emendo/internal/secret"
)

// Whatever a command creates under a protected name is moved aside, and nothing
// else is. The workspace's root and what is protected in it cannot be renamed
// by a command, any other folder can.
func TestAside(t *testing.T) {
	attacktest.AsEachUser(t, testAside)
}

func testAside(t *testing.T) {
	for _, tt := range []struct {
		name  string
		extra []string // may be written
		made  func(project)
		want  []Moved // relative to the workspace
		stays []string
	}{
		{
			name: "what was not there", made: func(p project) {
				p.put(".idea/x", "sub/.husky/x", "made/x")
				p.link("made", "sub/.emendo")
			},
			want: []Moved{
				{".idea", "made-by-a-command-1-idea.aside"},
				{"sub/.emendo", "sub/made-by-a-command-1-emendo.aside"},
				{"sub/.husky", "sub/made-by-a-command-1-husky.aside"},
			},
			stays: []string{".git/config", "sub/.vscode/mine", ".envrc", "made/x"},
		},
		{
			name: "what is secret too", made: func(p project) { p.put(".npmrc", "sub/.netrc", ".env") },
			want:  []Moved{{".npmrc", "made-by-a-command-1-npmrc.aside"}, {"sub/.netrc", "sub/made-by-a-command-1-netrc.aside"}},
			stays: []string{".env", ".pypirc"},
		},
		{
			name: "a secret in the place of another's folder", made: func(p project) {
				p.move("sub", "old")
				p.put("sub/_netrc")
			},
			want:  []Moved{{"sub/_netrc", "sub/made-by-a-command-1-_netrc.aside"}},
			stays: []string{"old/_netrc", ".pypirc"},
		},
		{
			name: "what there was leave for stays", extra: []string{".idea"}, made: func(p project) { p.put(".idea/x", ".fleet/x") },
			want:  []Moved{{".fleet", "made-by-a-command-1-fleet.aside"}},
			stays: []string{".idea/x"},
		},
		{
			name: "in the place of a folder that was renamed", made: func(p project) {
				p.move("sub", "old")
				p.put("sub/.vscode/evil")
			},
			want:  []Moved{{"sub/.vscode", "sub/made-by-a-command-1-vscode.aside"}},
			stays: []string{"old/.vscode/mine"},
		},
		{
			name: "a folder that was renamed with what it holds", made: func(p project) { p.move("sub", "made") },
			stays: []string{"made/.vscode/mine"},
		},
		{
			name: "instead of a link", made: func(p project) {
				p.remove(".envrc")
				p.put(".envrc")
			},
			want: []Moved{{".envrc", "made-by-a-command-1-envrc.aside"}},
		},
		{
			name: "a link that leads elsewhere", made: func(p project) {
				p.remove(".envrc")
				p.link("made", ".envrc")
			},
			want: []Moved{{".envrc", "made-by-a-command-1-envrc.aside"}},
		},
		{
			name: "and puts the time of its folder back", made: func(p project) {
				p.put("sub/.husky/x")
				p.age("sub")
			},
			want: []Moved{{"sub/.husky", "sub/made-by-a-command-1-husky.aside"}},
		},
		{
			name: "where nothing can be moved", made: func(p project) {
				p.put("a/.idea/x", "b/.idea/x")
				p.mode("a", 0o500)
			},
			want: []Moved{{"a/.idea", "a/made-by-a-command-1-idea.aside"}, {"b/.idea", "b/made-by-a-command-1-idea.aside"}},
		},
		{
			name: "what git runs, by who may write git's folder", extra: []string{".git"}, made: func(p project) {
				p.put(".git/hooks/post-commit", ".git/commondir", ".git/index")
			},
			want:  []Moved{{".git/commondir", ".git/made-by-a-command-1-commondir.aside"}, {".git/hooks", ".git/made-by-a-command-1-hooks.aside"}},
			stays: []string{".git/config", ".git/index"},
		},
		{
			name: "hooks, by who may write those", extra: []string{".git", ".git/hooks"}, made: func(p project) { p.put(".git/hooks/post-commit") },
			stays: []string{".git/hooks/post-commit"},
		},
		{
			name: "a repository under another name", made: func(p project) { p.put("bare/HEAD", "bare/objects/x", "bare/refs/x", "bare/config") },
			want: []Moved{{"bare/HEAD", "bare/made-by-a-command-1-HEAD.aside"}}, stays: []string{"bare/config"},
		},
		{
			name: "what makes a repository of a folder", made: func(p project) { p.put("sub/HEAD", "sub/objects/x", "sub/refs/x") },
			want: []Moved{{"sub/HEAD", "sub/made-by-a-command-1-HEAD.aside"}}, stays: []string{"sub/.vscode/mine", "sub/refs/x"},
		},
		{
			name: "what makes one of the workspace", made: func(p project) { p.put("HEAD", "objects/x", "refs/x") },
			want: []Moved{{"HEAD", "made-by-a-command-1-HEAD.aside"}}, stays: []string{"envs/dev", "refs/x", "objects/x"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newProject(t, ".git/config", "sub/.vscode/mine", "sub/_netrc", ".pypirc", "envs/dev")
			p.link("envs/dev", ".envrc")
			p.age("sub")
			place := New(Options{Folders: []string{p.folder}, Secret: secret.Named})
			var w Extra
			for _, name := range tt.extra {
				w.Write = append(w.Write, p.at(name))
			}
			place.Profile(w) // which caches its results
			profile := place.Profile(w)
			tt.made(p)
			got, err := profile.MoveAside()
			if err != nil {
				t.Error(err)
			}
			var want []Moved
			for _, m := range tt.want {
				want = append(want, Moved{p.at(m.From), p.at(m.To)})
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for _, name := range tt.stays {
				if _, err := os.Lstat(p.at(name)); err != nil {
					t.Error(err)
				}
			}
			for _, m := range tt.want {
				if _, err := os.Lstat(p.at(m.To)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// A folder that has become a link meanwhile does not lead out of the workspace.
func TestAsideStaysInTheWorkspace(t *testing.T) {
	p := newProject(t, "main.go")
	outside := newProject(t, ".vscode/mine")
	profile := New(Options{Folders: []string{p.folder}}).Profile(Extra{})
	p.link(outside.folder, "sub")
	if to, err := profile.before.moveAside(p.at("sub/.vscode")); err == nil {
		t.Errorf("it was moved to %s", to)
	}
	if _, err := os.Lstat(outside.at(".vscode/mine")); err != nil {
		t.Error(err)
	}
}
