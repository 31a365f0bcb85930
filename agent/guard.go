package agent

import (
	"fmt"
	"time"

	"github.com/emendo-dev/emendo/agent/loop"
	"github.com/emendo-dev/emendo/tools"
)

const givenAdvice = "advice" // what a model that goes round in circles is told

// turnBack does what the loop guard says of an answer: its calls are not run,
// and the model is told so, once in a turn. The second time the turn is over.
func (t *turn) turnBack(a answer) (over bool) {
	for _, made := range a.calls {
		c := &call{made: made, turn: t, tool: t.session.agent.tool(made.Name), begun: time.Now()}
		c.end(tools.Result{Err: tools.Errorf(tools.Cancelled, "The call was not run: the same calls were made over and over.")})
	}
	if a.loop.Strike == loop.Recover {
		t.emit(Given{MessageID: a.messageID, Kind: givenAdvice, Text: a.loop.Advice})
		return false
	}
	t.emit(Notice{Severity: Warning, Code: NoticeLoop, Title: "The model goes round in circles", Description: whatLoops(a.loop)})
	return true
}

func whatLoops(v loop.Verdict) string {
	const end = "The turn was ended; send another prompt to go on."
	switch v.Kind {
	case loop.SameCalls:
		return fmt.Sprintf("It makes the same calls over and over: %s. %s", v.Detail, end)
	case loop.SameWords:
		return fmt.Sprintf("It says the same words over and over: %q. %s", v.Detail, end)
	case loop.NoProgress:
		return fmt.Sprintf("Its steps lead nowhere: %s %s", v.Detail, end)
	}
	panic("agent: unknown kind of loop " + string(v.Kind))
}
