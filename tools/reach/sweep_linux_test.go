package reach

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
)

// A folder that cannot be listed is hidden, since a command could list it after
// changing its mode. Root can list it anyway.
func TestUnreadableFolderIsHidden(t *testing.T) {
	attacktest.AsEachUser(t, func(t *testing.T) {
		p := newProject(t, "a/.env", "b/.env")
		p.mode("a", 0o300)
		place := New(Options{Folders: []string{p.folder}, Secret: func(p string) bool { return filepath.Base(p) == ".env" }})
		want := []string{p.at("a"), p.at("b/.env")}
		if os.Getuid() == 0 {
			want[0] = p.at("a/.env")
		}
		if diff := cmp.Diff(want, place.Profile(Extra{}).Hidden); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}

		p.mode(".", 0o300)
		profile := place.Profile(Extra{})
		_, err := sandbox.Run(t.Context(), sandbox.NewGuard(sandbox.Options{Only: "A"}), sandbox.Command{Argv: []string{"/bin/true"}, Dir: p.folder, Profile: &profile.Profile}, sandbox.Talk{})
		if os.Getuid() != 0 && (err == nil || !strings.Contains(err.Error(), "make it readable")) {
			t.Errorf("a command was started where it is not known what to keep from it: %v", err)
		}
	})
}

// A pipe that replaces a file or a folder does not block.
func TestPipesDoNotBlock(t *testing.T) {
	p := newProject(t, "main.go")
	if err := unix.Mkfifo(p.at(".git"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, ok := gitdir.At(p.folder); ok {
		t.Errorf("it names %v", r)
	}
	if _, err := entriesOf(p.at(".git")); err == nil {
		t.Error("it was listed")
	}
}
