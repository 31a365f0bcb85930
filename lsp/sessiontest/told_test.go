package sessiontest

import (
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// told describes messages that the model was sent. name removes from a text what
// differs between machines, before its length is counted.
func told(messages []model.Message, name func(string) string) string {
	var b strings.Builder
	say := func(who, text string) {
		text = strings.TrimRight(brief(name(text)), "\n")
		if !strings.Contains(text, "\n") {
			fmt.Fprintf(&b, "%s: %s\n", who, text)
			return
		}
		fmt.Fprintf(&b, "%s:\n    %s\n", who, strings.ReplaceAll(text, "\n", "\n    "))
	}
	for _, m := range messages {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case model.Text:
				say(string(m.Role), p.Text)
			case model.Thought:
				say(string(m.Role)+" thinks", p.Text)
			case model.Blob:
				say(string(m.Role), fmt.Sprintf("%d bytes of %s", len(p.Data), p.MIME))
			case model.Call:
				say("call", p.Name+" "+string(p.Args))
			case model.Result:
				who := "result of " + p.Name
				if p.Failed {
					who += ", failed"
				}
				say(who, p.Output)
			}
		}
	}
	return b.String()
}
