package reach

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
	"github.com/emendo-dev/emendo/internal/secret"
)

// A folder that commands may write besides the workspace is guarded as the workspace is.
func TestAllowedFoldersKeepTheirSecretsAndHooks(t *testing.T) {
	attacktest.AsEachUser(t, func(t *testing.T) {
		for means, start := range attacktest.EveryMeans() {
			b := attacktest.NewTestbed(t)
			b.Put("beside/.env", "canary\n")
			b.Put("beside/.git/HEAD", "ref: refs/heads/main\n")
			b.Put("beside/.git/config", "[core]\n")
			b.Put("beside/.git/hooks/sample", "")
			b.Put("beside/sub/file", "old\n")
			beside := filepath.Join(b.Base, "beside")
			o := Options{Folders: []string{b.Work}, Allowed: []string{beside}, Temp: b.Temp, Cache: b.Cache, Environ: []string{"PATH=/usr/bin:/bin"}, Secret: secret.Named}
			p := New(o).Profile(Extra{})
			proc, err := start(t.Context(), sandbox.Command{
				Argv: []string{"/bin/bash", "-c", "cat .env; echo evil >.git/hooks/pre-commit; echo evil >>.git/config; echo new >sub/file; echo done"}, Dir: beside, Env: o.Environ, Profile: &p.Profile,
			})
			if err != nil {
				t.Fatal(err)
			}
			defer proc.Kill(0)
			if out := attacktest.ReadAll(t, proc); !strings.HasSuffix(out, "done\n") || strings.Contains(out, "canary") {
				t.Errorf("%s: got %q", means, out)
			}
			if _, err := os.Lstat(beside + "/.git/hooks/pre-commit"); err == nil {
				t.Errorf("%s: it made a hook", means)
			}
			for name, want := range map[string]string{"/.git/config": "[core]\n", "/sub/file": "new\n"} {
				if text, err := os.ReadFile(beside + name); err != nil || string(text) != want {
					t.Errorf("%s: %s holds %q, %v", means, name, text, err)
				}
			}
		}
	})
}
