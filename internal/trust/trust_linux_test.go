package trust

import (
	"path/filepath"
	"strings"
	"testing"
)

// JSON cannot represent such a name, and its replacement could mean other names
// too.
func TestInvalidUTF8NameIsNotTrusted(t *testing.T) {
	state, dirs := folders(t, "a")
	dir := filepath.Join(dirs[0], "\xff")
	mkdir(t, dir)
	s := Open(state)
	if _, err := s.Add(dir); err == nil || !strings.Contains(err.Error(), "not UTF-8") {
		t.Errorf("got %v", err)
	}
	decides(t, s, dir, restricted)
}
