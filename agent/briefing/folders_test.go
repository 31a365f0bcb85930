package briefing_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
)

// Files of other folders are named by their full path, because tools resolve relative
// paths in the session's folder, where another file may have the same name.
func TestFilesOfOtherFoldersHaveFullPaths(t *testing.T) {
	other, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(other, "x.py")
	if err := os.WriteFile(path, []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	uri := string(ide.FileURI(path))
	agenttest.InWorld(t, map[string]string{"x.py": "here\n"}, []modeltest.Reply{agenttest.Done(), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		s, err := w.Agent.Create(t.Context(), agent.NewSession{Cwd: w.Dir, Roots: []string{w.Dir, other}, Mode: policy.Default})
		if err != nil {
			t.Fatal(err)
		}
		w.Editor.Open(uri, "one\ntwo\n")
		w.Editor.Problems = func([]ide.URI) json.RawMessage {
			return json.RawMessage(fmt.Sprintf(`[{"uri":%q,"diagnostics":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"severity":1,"message":"bad"}]}]`, uri))
		}
		focus := &frontend.Focus{Active: ide.ParseURI(uri), Selections: []ide.Range{{End: ide.Position{Line: 1}}}}
		for _, tt := range []struct {
			blocks []transcript.Block
			focus  *frontend.Focus
			want   []string
		}{
			{blocks: agenttest.Say("look"), focus: focus, want: []string{
				"Active file: " + path + " (go)\n", "Selected in " + path + ", lines 1 to 1:", "- " + path + "\n", "Problems in " + path + ":",
			}},
			{blocks: append(agenttest.Say("look at @"+path+" and @problems"), transcript.Block{Type: transcript.LinkBlock, URI: uri, Lines: &transcript.Lines{First: 2, Last: 2}}), want: []string{
				`<file_part path="` + path + `" lines="2-2">`, path + "\nline 1, error: bad",
			}},
		} {
			if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: tt.blocks, Focus: tt.focus}); err != nil {
				t.Fatal(err)
			}
			asked := agenttest.TextOf(w.LastRequest())
			for _, want := range tt.want {
				if !strings.Contains(asked, want) {
					t.Errorf("the model is not given %q but\n%s", want, asked)
				}
			}
		}
	})
}
