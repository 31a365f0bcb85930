package chat

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

func TestAnswersAsMessages(t *testing.T) {
	long := strings.Repeat("line\n", 100)
	for _, c := range []struct {
		name, text  string
		stop        transcript.StopReason
		where, want string
	}{
		{"a short one", " Yes.\n", transcript.EndTurn, "", "Yes."},
		{"a short one in a document", " Yes.\n", transcript.EndTurn, "a.md", "Yes. \n(The conversation is in a.md.)"},
		{"none", "", transcript.EndTurn, "", "emendo is done."},
		{"a long one", long, transcript.EndTurn, "", wholeAnswer + strings.Repeat("line\n", 20) + "…"},
		{"a long one in a document", long, transcript.EndTurn, "a.md", wholeAnswer + strings.Repeat("line\n", 20) + "… \n(The conversation is in a.md.)"},
		{"one of two lines", "One.\nTwo.", transcript.EndTurn, "", wholeAnswer + "One.\nTwo."},
		{"a wide one", strings.Repeat("a", 81), transcript.EndTurn, "", wholeAnswer + strings.Repeat("a", 81)},
		{"one that was stopped", "Half", transcript.StopMaxTokens, "", "Half\n(The answer reached the model's limit of length.)"},
		{"a prompt that was refused", "", transcript.StopBlocked, "", "(The provider refused the prompt.)"},
	} {
		if got := answerText(state.Ended{Text: c.text, StopReason: c.stop}, c.where); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := answerText(state.Ended{Text: strings.Repeat("ä", 3000), StopReason: transcript.EndTurn}, ""); len(got) > 2100 || strings.Contains(got, "\uFFFD") {
		t.Errorf("a long line is %d bytes", len(got))
	}
}
