package agent

import (
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/prompt"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// modeChange describes to the model the mode that the user switched to while
// the turn runs; the system prompt stays as it was until the next turn.
var modeChange = map[policy.Mode]string{
	policy.Default:  "The user switched to default mode: edits and commands need approval from now on.",
	policy.AutoEdit: "The user switched to auto_edit mode: edits apply at once from now on; commands need approval unless a rule allows them.",
	policy.Plan:     "The user switched to plan mode: from now on read and plan only. Edits and commands are denied.",
	policy.Yolo:     "The user switched to yolo mode: calls run without approval from now on, except what rules deny or always ask about.",
}

// giveMode describes the mode to the model when it has changed since the model
// last read of it.
func (t *turn) giveMode() {
	mode := t.session.Info().Mode
	if mode == t.modeGiven {
		return
	}
	t.modeGiven = mode
	text := modeChange[mode]
	if plans := t.plansAt(); plans != "" {
		text += " Write the plan as a .md file in " + plans + ", and present it with exit_plan_mode."
	}
	t.emit(transcript.Given{MessageID: t.lastMessage(), Kind: transcript.KindMode, Text: prompt.Enclose("mode", text)})
}
