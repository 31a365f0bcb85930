package sessiontest

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

var rewrite = flag.Bool("update", false, "write what the session scripts expect anew")

func TestSessions(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "testdata", "sessions", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no session scripts: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			s, err := readScript(path)
			if err != nil {
				t.Fatal(err)
			}
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			home := t.TempDir()
			synctest.Test(t, func(t *testing.T) { playScript(t, s, dir, home) })
			if err := s.save(); err != nil {
				t.Error(err)
			}
		})
	}
}

// playScript plays a script and ends what it began, whatever happens.
func playScript(t *testing.T, s *script, dir, home string) {
	p, err := start(t, s, dir, home)
	if err != nil {
		t.Fatal(err)
	}
	err = p.run()
	if err != nil {
		t.Error(err)
	}
	if err := p.end(err == nil); err != nil {
		t.Error(err)
	}
}
