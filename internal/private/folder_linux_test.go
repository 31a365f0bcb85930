package private_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/private"
)

// Nobody makes a folder in /proc, root neither.
func TestFolderThatCannotBeMadeNamesTheVariable(t *testing.T) {
	if err := private.Folder("/proc/home/emendo"); err == nil || !strings.Contains(err.Error(), "EMENDO_HOME") {
		t.Errorf("got %v", err)
	}
}
