package command

import (
	"errors"
	"testing"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
)

// A commit message is the answer without a fence. None is an error, unless the user stopped it.
func TestTheMessageOfATask(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		task   view.Task
		err    error
		want   string
		failed bool
	}{
		{view.Task{Stopped: transcript.EndTurn, Answer: "Fix it\n"}, nil, "Fix it", false},
		{view.Task{Stopped: transcript.EndTurn, Answer: "```text\nFix it\n```"}, nil, "Fix it", false},
		{view.Task{Stopped: transcript.EndTurn, Answer: "```\n```"}, nil, "", true},
		{view.Task{Stopped: transcript.StopCancelled, Answer: "Fix"}, nil, "", false},
		{view.Task{}, broken, "", true},
	} {
		got, err := messageOf(test.task, test.err)
		if got != test.want || (err != nil) != test.failed {
			t.Errorf("%+v: %q, %v", test.task, got, err)
		}
	}
}
