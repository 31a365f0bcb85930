//go:build unix

package confinement

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/internal/private"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/tools/reach"
)

// Other users may be able to write to the folder of the cache.
func TestCommandsDoNotUseACacheOfOthers(t *testing.T) {
	for _, name := range []string{"temp", "workspaces"} {
		t.Run(name, func(t *testing.T) {
			cache, theirs := t.TempDir(), t.TempDir()
			work := t.TempDir()
			h := New(Options{Env: func(string) string { return "" }, Paths: settings.Paths{Cache: cache}, Log: slog.New(slog.DiscardHandler)})
			defer h.Close()
			if _, err := h.Reach([]string{work}, reach.Extra{}); err != nil {
				t.Fatal(err)
			}
			place := filepath.Join(cache, name)
			if name == "workspaces" { // each workspace has its own folder
				entries, err := os.ReadDir(place)
				if err != nil || len(entries) != 1 {
					t.Fatal(entries, err)
				}
				place = filepath.Join(place, entries[0].Name())
			}
			h.Close()
			if err := errors.Join(os.RemoveAll(place), os.Symlink(theirs, place)); err != nil {
				t.Fatal(err)
			}
			if _, err := h.Reach([]string{work}, reach.Extra{}); !errors.Is(err, private.ErrForeign) {
				t.Errorf("got %v", err)
			}
		})
	}
}
