package reach

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
)

// A command cannot make or replace emendo's own folder where the workspace holds its place.
// Without the protection each attack works.
func TestCommandsCannotMakeEmendosOwnFolders(t *testing.T) {
	const write = "mkdir -p %[1]s/policies && echo evil >%[1]s/policies/mine.toml"
	attacks := []struct{ name, own, link, there, line string }{
		{name: "an absent EMENDO_HOME", own: "own", line: fmt.Sprintf(write, "own")},
		{name: "an absent folder in XDG_CONFIG_HOME", own: ".config/emendo", line: fmt.Sprintf(write, ".config/emendo")},
		{name: "a folder above it that is renamed", own: ".config/emendo", there: ".config/emendo/settings.json", line: "mv .config old; " + fmt.Sprintf(write, ".config/emendo")},
		{name: "two folders above it", own: "a/b/emendo", there: "a/b/emendo/settings.json", line: "mv a old; " + fmt.Sprintf(write, "a/b/emendo")},
		{name: "itself renamed", own: "own", there: "own/settings.json", line: "mv own old; " + fmt.Sprintf(write, "own")},
		{name: "a link to it", own: ".config/emendo", link: ".config", there: "dotfiles/emendo/settings.json", line: "rm .config; " + fmt.Sprintf(write, ".config/emendo")},
		{name: "by another name", own: "own", there: "own/settings.json", line: "ln -s own x; " + fmt.Sprintf(write, "x")},
	}
	attacktest.AsEachUser(t, func(t *testing.T) {
		for name, start := range attacktest.EveryMeans() {
			for _, a := range attacks {
				for _, protected := range []bool{false, true} {
					b := attacktest.NewTestbed(t)
					if err := os.RemoveAll(filepath.Join(b.Work, ".git")); err != nil { // at level B nothing can be made beside it
						t.Fatal(err)
					}
					if err := os.Remove(filepath.Join(b.Work, ".env")); err != nil {
						t.Fatal(err)
					}
					if a.there != "" {
						b.Put("work/"+a.there, "{}")
					}
					if a.link != "" {
						if err := os.Symlink("dotfiles", filepath.Join(b.Work, a.link)); err != nil {
							t.Fatal(err)
						}
					}
					o := Options{Folders: []string{b.Work}, Temp: b.Temp, Cache: b.Cache, Environ: []string{"PATH=/usr/bin:/bin"}}
					if protected {
						o.Private = []string{filepath.Join(b.Work, a.own)}
					}
					p := New(o).Profile(Extra{})
					proc, err := start(t.Context(), sandbox.Command{Argv: []string{"/bin/bash", "-c", a.line}, Dir: b.Work, Env: o.Environ, Profile: &p.Profile})
					if err != nil {
						t.Fatal(err)
					}
					out := attacktest.ReadAll(t, proc)
					proc.Kill(0)
					if _, err := p.MoveAside(); err != nil {
						t.Errorf("%s, %s: %v", name, a.name, err)
					}
					text, _ := os.ReadFile(filepath.Join(b.Work, a.own, "policies", "mine.toml")) // may not be there
					if works := strings.Contains(string(text), "evil"); works == protected {
						t.Errorf("%s, %s, protected %v: it works %v: %s", name, a.name, protected, works, out)
					}
				}
			}
		}
	})
}
