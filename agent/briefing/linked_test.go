package briefing_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// A notice names the attached lines of a prompt that are not sent.
func TestLinkedLinesThatAreNotSent(t *testing.T) {
	files := map[string]string{"a.txt": "one\ntwo\n", ".env": "KEY=hunter2\n"}
	agenttest.InWorld(t, files, []modeltest.Reply{agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		blocks := agenttest.Say("look")
		for _, uri := range []string{w.URI("a.txt"), w.URI(".env"), "file:///nowhere/b.txt", "untitled:1"} {
			blocks = append(blocks, transcript.Block{Type: transcript.LinkBlock, URI: uri, Lines: &transcript.Lines{First: 1, Last: 1}})
		}
		if _, err := w.Session(policy.Default).Prompt(t.Context(), state.Prompt{Blocks: blocks}); err != nil {
			t.Fatal(err)
		}
		asked := agenttest.TextOf(w.LastRequest())
		if !strings.Contains(asked, "one\n") || strings.Contains(asked, "hunter2") {
			t.Errorf("the model is asked %s", asked)
		}
		notices := w.NoticesOf(transcript.NoticeNotSent)
		for _, want := range []string{
			"Lines 1 to 1 of .env were not sent: The file looks as if it holds secrets.",
			"Lines 1 to 1 of /nowhere/b.txt were not sent: The file cannot be read: ",
			"Lines 1 to 1 of untitled:1 were not sent: It is not a file, and not open in the editor.",
		} {
			if !strings.Contains(notices, want) {
				t.Errorf("notices %q lack %q", notices, want)
			}
		}
		if n := strings.Count(notices, "\n") + 1; n != 3 {
			t.Errorf("notices %q", notices)
		}
	})
}
