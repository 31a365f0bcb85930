package turn_test

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// refusing makes the model refuse every request that has an attachment, as providers do
// with what they cannot read.
func refusing(w *agenttest.World) {
	w.Model.Answer = func(r model.Request) modeltest.Reply {
		for range model.Blobs(r.Messages) {
			return modeltest.Reply{modeltest.FailWith(&model.Error{Kind: model.Invalid, Status: 400, Message: "Could not process image"})}
		}
		return modeltest.Reply{modeltest.Say("fine")}
	}
}

// A request that is refused with attachments is made once more without them. They stay
// out of the conversation, after a restart too.
func TestRefusedAttachmentsAreLeftOut(t *testing.T) {
	picture := transcript.Block{Type: transcript.ImageBlock, MIME: "image/png", Data: []byte("what looks like a picture")}
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		refusing(w)
		s := w.Session("")
		end, err := s.Prompt(t.Context(), state.Prompt{Blocks: append(agenttest.Say("look"), picture)})
		if err != nil || end.StopReason != transcript.EndTurn || end.Text != "fine" {
			t.Fatalf("ended with %s, %q, %v", end.StopReason, end.Text, err)
		}
		if n := len(w.Model.Requests()); n != 2 {
			t.Errorf("%d requests were made", n)
		}
		if n := w.Notice(transcript.NoticeNotSent); !strings.Contains(n.Description, "Could not process image") {
			t.Errorf("the user is told %+v", n)
		}
		s = w.Reopen(s)
		w.Prompt(s, "and now")
		if n := len(w.Model.Requests()); n != 3 {
			t.Errorf("%d requests were made", n)
		}
		if got := agenttest.TextOf(w.LastRequest()); !strings.Contains(got, "an attachment of the type image/png is left out: the provider refused it") || !strings.Contains(got, "look") {
			t.Errorf("the model reads\n%s", got)
		}
	})
}

// A refusal of something else is not blamed on an attachment that the model has read.
func TestARefusalOfSomethingElseKeepsAttachments(t *testing.T) {
	picture := transcript.Block{Type: transcript.ImageBlock, MIME: "image/png", Data: []byte("what looks like a picture")}
	refusal := modeltest.Reply{modeltest.FailWith(&model.Error{Kind: model.Invalid, Status: 400, Message: "Unknown parameter: x"})}
	agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Say("seen")}, refusal, {modeltest.Say("fine")}}, func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: append(agenttest.Say("look"), picture)}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("again")}); err == nil {
			t.Error("the refusal is not told")
		}
		w.Prompt(s, "once more")
		blobs := 0
		for range model.Blobs(w.LastRequest().Messages) {
			blobs++
		}
		if n := len(w.Model.Requests()); n != 3 || blobs != 1 {
			t.Errorf("%d requests were made, the last with %d pictures", n, blobs)
		}
	})
}

// A subagent works on without an attachment that the provider refuses.
func TestRefusedAttachmentsOfSubagentsAreLeftOut(t *testing.T) {
	refusal := modeltest.Reply{modeltest.FailWith(&model.Error{Kind: model.Invalid, Status: 400, Message: "Could not process image"})}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 40))); err != nil {
		t.Fatal(err)
	}
	agenttest.InWorld(t, map[string]string{"pic.png": picture.String()}, []modeltest.Reply{
		{invoke("codebase_investigator", "look")},
		{modeltest.Call("read_file", `{"file_path":"pic.png"}`)},
		refusal,
		{modeltest.Call("list_directory", `{"dir_path":"."}`)},
		report("A picture."),
		{modeltest.Say("fine")},
	}, func(t *testing.T, w *agenttest.World) {
		w.Prompt(w.Session(""), "go")
		if got := agenttest.TextOf(w.LastRequest()); !strings.Contains(got, "Termination Reason: GOAL\nResult:\nA picture.") {
			t.Errorf("the model reads\n%s", got)
		}
		for i, r := range w.Model.Requests() {
			blobs := 0
			for range model.Blobs(r.Messages) {
				blobs++
			}
			if want := map[int]int{2: 1}[i]; blobs != want {
				t.Errorf("request %d has %d attachments, want %d", i, blobs, want)
			}
		}
		if n := w.Notice(transcript.NoticeNotSent); !strings.Contains(n.Description, "Could not process image") {
			t.Errorf("the user is told %+v", n)
		}
	})
}
