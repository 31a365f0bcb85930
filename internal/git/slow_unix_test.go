//go:build unix

package git

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

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
