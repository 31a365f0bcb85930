package view_test

import (
	"slices"
	"testing"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
)

// What a cheap turn costs is not said to fractions of a cent.
func TestCostsAreRounded(t *testing.T) {
	for _, c := range []struct {
		cost   float64
		priced int64 // of 100 tokens
		want   string
	}{
		{0.000_042, 100, "under 0.01 USD"},
		{0.0312, 100, "about 0.0312 USD"},
		{1.512, 100, "about 1.51 USD"},
		{0.25, 50, "at least 0.2500 USD"},
	} {
		fold := newConversation()
		fold.Add(transcript.Update{TurnID: "t", Event: transcript.TurnEnded{StopReason: transcript.EndTurn, Usage: transcript.Usage{Usage: model.Usage{Total: 100, Priced: c.priced, Cost: c.cost}}}})
		turn, _ := fold.Item("t")
		i := slices.IndexFunc(turn.Lines, func(l view.Line) bool { return l.ID == "cost" })
		if i < 0 || turn.Lines[i].Text.Text != c.want {
			t.Errorf("%v is shown as %+v, want %q", c.cost, turn.Lines, c.want)
		}
	}
}

// A question does not say that a command runs where everything does.
func TestTheFolderOfTheSessionIsNotNamed(t *testing.T) {
	near := view.Shown(func(path string) string {
		if path == "/w" {
			return "."
		}
		return path
	})
	for cwd, want := range map[string]bool{"/w": false, "/w/sub": true, "": false} {
		q := view.Permission(frontend.Question{Preview: frontend.Preview{Command: "make", Cwd: cwd}}, view.Asked{Folders: near})
		if got := slices.ContainsFunc(q.Lines, func(l view.Line) bool { return l.ID == "folder" }); got != want {
			t.Errorf("the question about a command in %q names the folder: %v", cwd, got)
		}
	}
}
