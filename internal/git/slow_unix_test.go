//go:build unix

package git

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// The call waits neither for git nor, where the pipe is in a folder that is searched
// only when git takes long, a second time.
func TestGitDoesNotWaitForPipes(t *testing.T) {
	for _, name := range []string{".gitignore", ".gitattributes", "sub/.gitignore", ".git/HEAD", ".git/index", ".git/config", ".git/packed-refs", ".git/info/exclude"} {
		t.Run(name, func(t *testing.T) {
			p := here(t)
			dir := repository(t, p)
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path, 0o644); err != nil {
				t.Fatal(err)
			}
			p.within, p.suspect = time.Hour, 50*time.Millisecond
			for range 2 {
				_, err := p.Run(t.Context(), dir, nil, "status", "--untracked-files=all")
				if trap, ok := errors.AsType[trapError](err); !ok || string(trap) != path {
					t.Fatalf("got %v", err)
				}
				p.suspect = time.Hour
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := p.traps.check(dir); err != nil {
				t.Errorf("after its removal: %v", err)
			}
		})
	}
}

// What git waits for may be nowhere to be found.
func TestGitDoesNotWaitForEver(t *testing.T) {
	p := here(t)
	dir := repository(t, p)
	if err := syscall.Mkfifo(filepath.Join(dir, "sub", ".gitignore"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.within = 300 * time.Millisecond
	if _, err := p.Run(t.Context(), dir, nil, "status", "--untracked-files=all"); !errors.Is(err, errSlow) {
		t.Errorf("got %v", err)
	}
}
