package view_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
)

func TestTheStatusOfTheWindowBeginsWithWhatNeedsTheUser(t *testing.T) {
	edits := view.Edits{Pending: 2, Unreviewed: 1}
	for _, test := range []struct {
		name               string
		s                  view.WindowStanding
		look, short, lines string
		state              view.State
	}{
		{"nothing to tell", view.WindowStanding{}, "", "", "", ""},
		{"what did not begin", view.WindowStanding{Failed: "no disk", Questions: 1}, "error", "error", "", view.Failed},
		{"a question", view.WindowStanding{Questions: 1, SignedOut: true, Works: true}, "warning", "1 question", "signed_out", view.Asks},
		{"no key", view.WindowStanding{SignedOut: true, Edits: edits}, "signed_out", "sign in", "pending unreviewed signed_out", view.Failed},
		{"a turn", view.WindowStanding{Works: true}, "", "working", "", view.Running},
		{"edits of a turn", view.WindowStanding{Works: true, Edits: edits}, "edit", "2 to decide", "pending unreviewed", view.Running},
		{"a folder that is not trusted", view.WindowStanding{Restricted: "/work"}, "restricted", "restricted", "restricted", ""},
		{"no folder", view.WindowStanding{NoFolder: true}, "", "", "no_folder", ""},
		{
			"the session that was used last",
			view.WindowStanding{Mode: policy.Modes()[0].ID, Model: "flash", Usage: transcript.Usage{Usage: model.Usage{Input: 2, Output: 1, Total: 3}}, Commands: view.Commands{Level: "A"}},
			"", "", "mode model input cached output sandbox", "",
		},
	} {
		i := view.WindowStatus(test.s)
		var ids []string
		for _, l := range i.Lines {
			ids = append(ids, l.ID)
		}
		if i.Look != test.look || i.Title.Short != test.short || i.State != test.state || strings.Join(ids, " ") != test.lines {
			t.Errorf("%s: look %q, short %q, state %q, lines %q", test.name, i.Look, i.Title.Short, i.State, ids)
		}
	}
}
