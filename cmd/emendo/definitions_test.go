package main

import (
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// The error of a command with a broken file describes the problem.
func TestBrokenCommand(t *testing.T) {
	w := newWorld(t)
	w.write(".gemini/commands/git/fix.toml", "prompt = \"x\"\ndescription = ")
	r := w.run("-p", "/git:fix it")
	r.wantCode(t, exitInput)
	r.wantLine(t, "unknown command /git:fix: ", "/.gemini/commands/git/fix.toml defines no command: line 2, column 14: ")
	if n := len(w.model.Requests()); n > 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// An image that a command names is sent unchanged.
func TestPictureInACommand(t *testing.T) {
	w := newWorld(t, geminitest.Say("A dot."))
	var dot strings.Builder
	if err := png.Encode(&dot, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	w.write("dot.png", dot.String())
	w.write(".gemini/commands/look.toml", `prompt = "What is @{dot.png}?"`)
	w.run("-p", "/look").wantCode(t, exitOK)
	body := string(w.model.Requests()[0].Body)
	for _, want := range []string{`"mimeType":"image/png"`, `What is `, `(attached)`} {
		if !strings.Contains(body, want) {
			t.Errorf("sent without %s: %s", want, body)
		}
	}
}

// For the calling model, an agent without a report is an error.
func TestAgentWithoutReport(t *testing.T) {
	w := newWorld(t,
		geminitest.Do(geminitest.Call("invoke_agent", `{"agent_name": "scout", "prompt": "the tests"}`)),
		geminitest.Say("I looked."), geminitest.Say("I still look."), geminitest.Say("Done."))
	w.write(".gemini/agents/scout.md", "---\nname: scout\ndescription: Looks around.\n---\nLook at ${query} and ${HOME}.")
	w.run("-p", "go").wantCode(t, exitOK)
	all := w.model.Requests()
	if first := string(all[1].Body); !strings.Contains(first, "Look at the tests and ${HOME}.") {
		t.Errorf("the agent got %s", first)
	}
	if last := string(all[3].Body); !strings.Contains(last, `"error":"The agent scout has ended.\nTermination Reason: ERROR_NO_COMPLETE_TASK_CALL`) {
		t.Errorf("the model got %s", last[max(0, len(last)-1500):])
	}
}
