//go:build unix

package companion

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/internal/private"
	"github.com/emendo-dev/emendo/lsp/client"
)

// The port and the token are written to a file of this user's own, and to no other.
func TestAnnouncementGoesIntoAFileOfTheUsers(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "ide")
	other := filepath.Join(t.TempDir(), "other")
	s := &service{c: &Companion{o: Options{Client: &client.Client{}}}, token: "secret", file: filepath.Join(folder, "a.json")}
	for range 2 {
		if err := s.describe(); err != nil {
			t.Fatal(err)
		}
	}
	if l, err := os.ReadDir(folder); err != nil || len(l) != 1 {
		t.Errorf("the folder has %v, %v", l, err)
	}
	if err := errors.Join(os.Remove(s.file), os.WriteFile(other, nil, 0o600), os.Symlink(other, s.file)); err != nil {
		t.Fatal(err)
	}
	if err := s.describe(); err == nil {
		t.Error("it is written to a link")
	}
	if err := errors.Join(os.Remove(s.file), os.Mkdir(s.file, 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := s.describe(); err == nil {
		t.Error("it is written to a folder")
	}
	if l, err := os.ReadDir(folder); err != nil || len(l) != 1 {
		t.Errorf("the folder has %v, %v", l, err)
	}
	if text, err := os.ReadFile(other); err != nil || len(text) > 0 {
		t.Errorf("the other file has %q, %v", text, err)
	}
	if os.Geteuid() != 0 {
		return // only root can make a file of another user's
	}
	if err := errors.Join(os.Remove(s.file), os.WriteFile(s.file, nil, 0o666), os.Chown(s.file, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	if err := s.describe(); !errors.Is(err, private.ErrForeign) {
		t.Errorf("with the file of another user the error is %v", err)
	}
}
