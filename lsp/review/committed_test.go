package review_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// What a commit has that may not be the user's says so, and stays to be reviewed; what one of the
// user's has is reviewed.
func TestCommitted(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world) {
		u := w.Open()
		w.applied()
		note := func(users bool) {
			text := strings.Replace(both, "return 22", "return 2", 1)
			if users {
				text = both
			}
			w.Ledger.NoteCommit(w.Context(), []ledger.InCommit{{ReviewFile: ledger.ReviewFile{Path: lsptest.Path(u)}, Exists: true, Text: &text}}, users)
			synctest.Wait()
		}
		note(false)
		var messages []string
		for _, d := range w.Editor.Seen().Diagnostics[u] {
			messages = append(messages, d.Message)
		}
		const says = "\nIn a commit that may not be yours, not reviewed\n"
		if len(messages) != 2 || !strings.Contains(messages[0], says) || strings.Contains(messages[1], says) {
			t.Errorf("it shows %q", messages)
		}
		note(true)
		var l struct{ ChangeSets []lsptest.ChangeSet }
		if err := w.Editor.Call(w.Context(), "emendo/changes/list", worldtest.Obj{}, &l); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, cs := range l.ChangeSets {
			for _, f := range cs.Files {
				for _, h := range f.Hunks {
					got = append(got, h.State)
					if h.Committed {
						got = append(got, "committed")
					}
					if h.Reviewed {
						got = append(got, "reviewed")
					}
				}
			}
		}
		if s := strings.Join(got, " "); s != "accepted committed accepted reviewed" {
			t.Errorf("listed are %s", s)
		}
		if d := w.Editor.Seen().Diagnostics[u]; len(d) != 1 {
			t.Errorf("it shows %+v", d)
		}
	})
}
