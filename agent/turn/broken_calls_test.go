package turn_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// A call that cannot run costs one request: the next one tells the model what was wrong,
// in the call's result, and the conversation stays valid over a restart.
func TestABrokenCallGoesBackToTheModel(t *testing.T) {
	for name, tt := range map[string]struct {
		args   string
		finish model.Finish
		says   string
	}{
		"a line end in a string": {`{"file_path":"n.txt","content":"a` + "\n" + `b"}`, model.Stop, "not a JSON object"},
		"cut off at the limit":   {`{"file_path":"n.txt","content":"a`, model.MaxTokens, "write less at once"},
	} {
		t.Run(name, func(t *testing.T) {
			broken := model.NewCall("theirs", "write_file", []byte(tt.args))
			replies := []modeltest.Reply{
				{modeltest.Say("I write it."), modeltest.Part(broken), modeltest.Finish(tt.finish)},
				{modeltest.Say("done")},
				{modeltest.Say("still here")},
			}
			agenttest.InWorld(t, nil, replies, func(t *testing.T, w *agenttest.World) {
				s := w.Session("")
				end, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("write it")})
				if err != nil || end.StopReason != transcript.EndTurn {
					t.Fatalf("ended with %s, %v", end.StopReason, err)
				}
				requests := w.Model.Requests()
				if len(requests) != 2 {
					t.Fatalf("%d requests were made", len(requests))
				}
				last := requests[1].Messages[len(requests[1].Messages)-1]
				r, ok := last.Parts[0].(model.Result)
				if !ok || !r.Failed || r.CallID != broken.ID || !strings.Contains(r.Output, tt.says) {
					t.Errorf("the model is told %+v", last.Parts)
				}
				s = w.Reopen(s)
				w.Prompt(s, "go on")
				for _, m := range w.LastRequest().Messages {
					for _, p := range m.Parts {
						if c, ok := p.(model.Call); ok && string(c.Args) != "{}" {
							t.Errorf("the arguments are %s", c.Args)
						}
					}
				}
				if !strings.Contains(agenttest.TextOf(w.LastRequest()), tt.says) {
					t.Error("what was wrong is not in the conversation after a restart")
				}
			})
		})
	}
}

// Of a malformed call nothing but a reason remains. The model and the user get it, and
// after three in a row the turn ends.
func TestAMalformedCallIsTold(t *testing.T) {
	malformed := modeltest.Reply{modeltest.Chunk(model.Chunk{Finish: model.MalformedCall, FinishWord: "MALFORMED_FUNCTION_CALL", FinishWhy: "Malformed function call: print(default_api.read_file("})}
	agenttest.InWorld(t, nil, []modeltest.Reply{malformed, {modeltest.Say("done")}}, func(t *testing.T, w *agenttest.World) {
		w.Prompt(w.Session(""), "read it")
		if requests := w.Model.Requests(); len(requests) != 2 || !strings.Contains(agenttest.TextOf(requests[1]), "Malformed function call: print(default_api.read_file(") {
			t.Errorf("%d requests, the last with\n%s", len(requests), agenttest.TextOf(w.LastRequest()))
		}
		if n := w.Notice(transcript.NoticeInvalidStream); !strings.Contains(n.Description, "default_api.read_file") || n.Type != "malformed_call" {
			t.Errorf("the user is told %+v", n)
		}
	})
	agenttest.InWorld(t, nil, []modeltest.Reply{malformed, malformed, malformed, malformed}, func(t *testing.T, w *agenttest.World) {
		_, err := w.Session("").Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("read it")})
		if n := len(w.Model.Requests()); err == nil || n != 3 {
			t.Errorf("after %d requests: %v", n, err)
		}
	})
}
