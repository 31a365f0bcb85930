package chat

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/transcript"
)

func TestOnlyAddedOutputIsSent(t *testing.T) {
	l := liveOutput{sent: map[liveCall]string{}}
	for i, step := range []struct {
		state transcript.CallState
		live  string
		want  string // is in the update
		not   string // is not
	}{
		{transcript.Executing, "", `"executing"`, "outputDelta"},
		{transcript.Executing, "one\n", "```\\none\\n```", "outputDelta"},
		{transcript.Executing, "one\ntwo\n", `"outputDelta":"two\n"`, "one"},
		{transcript.Executing, "… two\nthree\n", "```\\n… two\\nthree\\n```", "outputDelta"}, // its beginning was cut off
		{transcript.Executing, "… two\nthree\nfour\n", `"outputDelta":"four\n"`, "two"},
		{transcript.Success, "", `"success"`, "outputDelta"},
		{transcript.Executing, "one\n", "```\\none\\n```", "outputDelta"}, // another call of that ID
	} {
		got := string(l.encode(transcript.Update{SessionID: "s", Event: transcript.ToolUpdate{CallID: "c", State: step.state, Live: step.live}}))
		if !strings.Contains(got, step.want) || strings.Contains(got, step.not) {
			t.Errorf("update %d is %s", i+1, got)
		}
	}
	got := string(l.encode(transcript.Update{SessionID: "s", Replay: true, Event: transcript.ToolUpdate{CallID: "c", State: transcript.Executing, Live: "one\ntwo\n"}}))
	if strings.Contains(got, "outputDelta") {
		t.Errorf("a replayed update is %s", got)
	}
}
