package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// Without anything to put back the command says so.
func TestPutBackCommand(t *testing.T) {
	play(t, lsptest.Recorded("helix"), nil, func(w *world) {
		w.Command("emendo.newSession", nil, nil)
		w.Command("emendo.putBack", worldtest.Obj{"path": filepath.Join(os.TempDir(), "none")}, nil)
		if l := w.Editor.Seen().Messages; len(l) == 0 || !strings.Contains(l[len(l)-1], "Nothing is there to put back.") {
			t.Errorf("messages %q", l)
		}
	})
}
