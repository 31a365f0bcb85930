package compact_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/agent/compact"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// history draws a conversation as the agent keeps it, at any moment.
func history(t *rapid.T) []model.Message {
	var ms []model.Message
	size := rapid.SampledFrom([]int{0, 1, 50, 1000, 30_000})
	picture := model.Blob{MIME: "image/png", Data: []byte{1}}
	chance := func(label string) bool { return rapid.IntRange(0, 3).Draw(t, label) == 0 }
	add := func(role model.Role, parts ...model.Part) {
		ms = append(ms, model.Message{ID: fmt.Sprint("m", len(ms)), Role: role, Parts: parts})
	}
	for range rapid.IntRange(1, 8).Draw(t, "turns") {
		prompt := []model.Part{model.Text{Text: "ask " + of(size.Draw(t, "prompt"))}}
		if chance("picture") {
			prompt = append(prompt, picture)
		}
		if n := len(ms); n > 0 && ms[n-1].Role == model.User {
			add(model.Model, model.Text{Text: "(The answer was interrupted.)"})
		}
		add(model.User, prompt...)
		for range rapid.IntRange(0, 6).Draw(t, "rounds") {
			var calls, results []model.Part
			if chance("thought") {
				calls = append(calls, model.Thought{Text: "hm"})
			}
			if chance("signature") {
				calls = append(calls, model.Text{Signature: []byte{1}})
			}
			for i := range rapid.IntRange(1, 3).Draw(t, "calls") {
				id := fmt.Sprintf("c%d.%d", len(ms), i)
				name := rapid.SampledFrom([]string{"read_file", "run_shell_command", "ask_user"}).Draw(t, "tool")
				calls = append(calls, model.Call{ID: id, ProviderID: "p" + id, Name: name, Args: []byte(`{}`)})
				r := model.Result{CallID: id, ProviderID: "p" + id, Name: name, Output: of(size.Draw(t, "output")), Failed: chance("failed")}
				if chance("attached") {
					r.Blobs = []model.Blob{picture}
				}
				results = append(results, r)
			}
			if chance("told") {
				results = append(results, model.Text{Text: "the user rejected a hunk"})
			}
			add(model.Model, calls...)
			add(model.User, results...)
		}
		if !chance("unanswered") {
			add(model.Model, model.Text{Text: "done " + of(size.Draw(t, "answer"))})
		}
	}
	return ms
}

// accepted says what a strict provider would say to a conversation.
func accepted(ms []model.Message) error {
	if len(ms) > 0 && ms[len(ms)-1].Role == model.Model {
		ms = append(ms[:len(ms):len(ms)], model.Message{Role: model.User, Parts: []model.Part{model.Text{Text: "go on"}}})
	}
	return modeltest.Check(model.Request{Messages: ms})
}

// copied is a conversation that shares no list with the one given.
func copied(ms []model.Message) []model.Message {
	out := append([]model.Message(nil), ms...)
	for i := range out {
		out[i].Parts = append([]model.Part(nil), out[i].Parts...)
	}
	return out
}

func TestCompactionKeepsAnyConversationValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := history(t)
		if err := accepted(before); err != nil {
			t.Fatalf("the conversation drawn: %v", err)
		}
		s := &modeltest.Script{Answer: func(model.Request) modeltest.Reply {
			return rapid.SampledFrom([]modeltest.Reply{
				reply(snapshot("what is known")), reply(snapshot("what is known")), reply("known, in other words"), reply(""), reply(snapshot(of(90_000))), {modeltest.Fail(model.Unavailable)},
			}).Draw(t, "answer")
		}}
		in := compact.Input{
			Messages: copied(before), Limit: int64(rapid.SampledFrom([]int{100, 20_000, 200_000, 1_000_000}).Draw(t, "limit")),
			Forced: rapid.Bool().Draw(t, "forced"), FailedBefore: rapid.Bool().Draw(t, "failed before"),
			Preface: []model.Part{model.Text{Text: "It is Monday."}},
			Save: func(string, string) (string, error) {
				if rapid.IntRange(0, 4).Draw(t, "disk") == 0 {
					return "", errors.New("disk full")
				}
				return "/out/x", nil
			},
		}
		r, err := compact.Run(t.Context(), s, "m", in)
		if d := cmp.Diff(before, in.Messages); d != "" {
			t.Fatalf("the messages given were changed:\n%s", d)
		}
		var e *model.Error
		if errors.As(err, &e) && e.Kind == model.Invalid {
			t.Fatalf("a request to the summing model is refused: %v", err)
		}
		if (err != nil) != (r.Status == compact.Failed) {
			t.Fatalf("%s and %v", r.Status, err)
		}
		shorter := r.Status == compact.Compacted || r.Status == compact.ContentTruncated
		if shorter != (r.Messages != nil) {
			t.Fatalf("%s with %d messages", r.Status, len(r.Messages))
		}
		if !shorter {
			return
		}
		if r.After > r.Before || r.After != in.Size(r.Messages) {
			t.Fatalf("%d tokens before, %d after", r.Before, r.After)
		}
		if err := accepted(r.Messages); err != nil {
			t.Fatalf("%s: %v", r.Status, err)
		}
		sameButCut(t, before[r.Kept:], r.Messages[len(r.Messages)-len(before[r.Kept:]):], r.Cut)
	})
}

func TestMaskingHidesOnlyAnswersInAnyConversation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := history(t)
		given := copied(before)
		o := compact.MaskOptions{
			Protected: int64(rapid.SampledFrom([]int{0, 1, 1000}).Draw(t, "protected")), Prunable: int64(rapid.SampledFrom([]int{0, 1, 1000}).Draw(t, "prunable")),
			Latest: rapid.Bool().Draw(t, "latest"),
		}
		got, cuts := compact.Mask(given, o)
		if d := cmp.Diff(before, given); d != "" {
			t.Fatalf("the messages given were changed:\n%s", d)
		}
		if err := accepted(got); err != nil {
			t.Fatal(err)
		}
		if len(cuts) > 0 && model.MessagesTokens(got) >= model.MessagesTokens(before) {
			t.Fatalf("%d cuts save nothing", len(cuts))
		}
		sameButCut(t, before, got, cuts)
		again, more := compact.Mask(got, compact.MaskOptions{Protected: o.Protected, Prunable: o.Prunable, Latest: o.Latest})
		for _, c := range more {
			if strings.HasPrefix(answers(got)[c.CallID], "<tool_output_masked>") {
				t.Fatalf("%s is masked twice", c.CallID)
			}
		}
		sameButCut(t, got, again, more)
	})
}

// sameButCut holds that messages are what they were, except for the outputs
// and the attachments of the answers that were cut.
func sameButCut(t *rapid.T, before, after []model.Message, cuts []transcript.Cut) {
	cut := map[string]string{}
	for _, c := range cuts {
		cut[c.CallID] = c.Output
	}
	want := copied(before)
	for _, m := range want {
		for i, p := range m.Parts {
			if r, ok := p.(model.Result); ok {
				if output, ok := cut[r.CallID]; ok {
					r.Output, r.Blobs = output, nil
					m.Parts[i] = r
				}
			}
		}
	}
	if d := cmp.Diff(want, after, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("more than the cuts was changed:\n%s", d)
	}
}
