package main

import (
	"testing"

	"github.com/emendo-dev/emendo/lsp"
)

func TestEditorsTrust(t *testing.T) {
	tests := []struct {
		name                    string
		says                    lsp.Trust
		stored, inside, outside bool // of /work, decided earlier; of /work now; of /other now
	}{
		{"nothing, and nobody decided", lsp.AskTrust, false, false, false},
		{"nothing, and the user decided", lsp.AskTrust, true, true, false},
		{"trusted", lsp.Trusted, false, true, false},
		{"restricted, whatever was decided", lsp.Restricted, true, false, false},
	}
	for _, tt := range tests {
		t.Run("the editor says "+tt.name, func(t *testing.T) {
			u := &editorUser{folder: "/work", trust: tt.says}
			trusted := editorTrust(u, func(folder string) bool { return tt.stored && folder == "/work" })
			if got := trusted("/work"); got != tt.inside {
				t.Errorf("the workspace's folder is trusted: %v", got)
			}
			if got := trusted("/other"); got != tt.outside {
				t.Errorf("another folder is trusted: %v", got)
			}
		})
	}
}
