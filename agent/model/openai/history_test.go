package openai_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/openai/openaitest"
)

// talk asks, runs every call of the answer and asks again, until nothing is called. It
// returns the conversation, as it is kept over a restart.
func talk(t *testing.T, g model.Generator, name string, messages []model.Message) []model.Message {
	t.Helper()
	for range 10 {
		stored, err := json.Marshal(messages)
		if err != nil {
			t.Fatal(err)
		}
		messages = nil
		if err := json.Unmarshal(stored, &messages); err != nil {
			t.Fatal(err)
		}
		a, err := collect(t.Context(), g, model.Request{Model: name, System: "s", Messages: messages, Tools: []model.Tool{{Name: "read.file"}}})
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, said(a.Parts...))
		var results []model.Part
		for _, p := range a.Parts {
			if c, ok := p.(model.Call); ok {
				results = append(results, model.Result{CallID: c.ID, ProviderID: c.ProviderID, Name: c.Name, Output: "contents of " + string(c.Args), Blobs: []model.Blob{png}})
			}
		}
		if len(results) == 0 {
			return messages
		}
		messages = append(messages, user(results...))
	}
	t.Fatal("the conversation does not end")
	return nil
}

// The strict server accepts every step: reasoning goes back in front of what it led
// to, and each result to its call.
func TestConversationGoesOn(t *testing.T) {
	for _, api := range apis {
		t.Run(api.name, func(t *testing.T) {
			call := func(n int) openaitest.Event { return openaitest.Call("read_file_dd32cdf5", fmt.Sprintf(`{"n":%d}`, n)) }
			s := start(t, api.server,
				openaitest.Do(openaitest.Think("**Look** around"), openaitest.Text("Let me look."), openaitest.Join(call(1), call(2))),
				openaitest.Do(openaitest.Think("more"), call(3)),
				openaitest.Do(call(4)),
				openaitest.Do(openaitest.Think("so"), openaitest.Text("done")),
				openaitest.Say("again"),
			)
			g := model.Issued(client(t, s, api.change), "openai")
			messages := talk(t, g, api.model, []model.Message{user(model.Text{Text: "go"})})
			messages = talk(t, g, api.model, append(messages, user(model.Text{Text: "and?"})))
			if n := len(s.Requests()); n != 5 {
				t.Fatalf("%d requests", n)
			}
			if last := messages[len(messages)-1].Parts; cmp.Diff([]model.Part{model.Text{Text: "again"}}, plain(last)) != "" {
				t.Errorf("ends with %+v", last)
			}
			sent := string(s.Requests()[4].Body)
			if got, want := strings.Count(sent, `"encrypted_content":`), map[string]int{"responses": 4}[api.name]; got != want {
				t.Errorf("%d items of reasoning went back, want %d", got, want)
			}
			if got, want := strings.Count(sent, `"phase":"final_answer"`), map[string]int{"responses": 2}[api.name]; got != want {
				t.Errorf("%d messages have their phase, want %d", got, want)
			}
		})
	}
}

// Reasoning that nothing follows is refused by the API. An answer that was cut short
// leaves some.
func TestReasoningAloneIsNotSent(t *testing.T) {
	s := openaitest.New(t, openaitest.Reply{Events: []openaitest.Event{openaitest.Think("hm")}}.Stop(openaitest.Length), openaitest.Say("ok"))
	g := client(t, s, nil)
	messages := talk(t, g, "gpt-5.4", []model.Message{user(model.Text{Text: "go"})})
	if len(messages[1].Parts) == 0 {
		t.Fatal("the reasoning was not kept")
	}
	messages = append(messages, user(model.Text{Text: "go on"}))
	talk(t, g, "gpt-5.4", messages)
	if n := len(body(t, s)["input"].([]any)); n != 2 {
		t.Errorf("%d items were sent, want the two of the user", n)
	}
}

// A server forgets its keys, or the user has those of another organization: the
// conversation goes on without the reasoning, which is not sent again either.
func TestReasoningThatTheServerCannotReadIsLeftOut(t *testing.T) {
	s := openaitest.New(t, openaitest.Do(openaitest.Think("hm"), openaitest.Call("f", `{}`)), openaitest.Say("done"))
	g := client(t, s, nil)
	messages := talk(t, g, "gpt-5.4", []model.Message{user(model.Text{Text: "go"})})
	s.Forget()
	s.Add(openaitest.Do(openaitest.Think("new"), openaitest.Text("one")), openaitest.Say("two"))
	messages = talk(t, g, "gpt-5.4", append(messages, user(model.Text{Text: "and?"})))
	talk(t, g, "gpt-5.4", append(messages, user(model.Text{Text: "and now?"})))
	var refused []bool
	for _, r := range s.Requests() {
		refused = append(refused, r.Refused != "")
	}
	if d := cmp.Diff([]bool{false, false, true, false, false}, refused); d != "" {
		t.Errorf("refused (-want +got):\n%s", d)
	}
	if sent := string(s.Requests()[4].Body); strings.Count(sent, `"encrypted_content":`) != 1 {
		t.Errorf("the last request has other reasoning than the new one: %s", sent)
	}
}

// Reasoning is for the server that encrypted it, and for models that reason.
func TestReasoningStaysWithItsServer(t *testing.T) {
	s := openaitest.New(t, openaitest.Do(openaitest.Think("hm"), openaitest.Call("f", `{}`)), openaitest.Say("done"))
	messages := talk(t, client(t, s, nil), "gpt-5.4", []model.Message{user(model.Text{Text: "go"})})
	messages = append(messages, user(model.Text{Text: "and?"}))
	other := openaitest.New(t, openaitest.Say("ok"))
	talk(t, client(t, other, nil), "gpt-5.4", messages)
	s.Add(openaitest.Say("ok"), openaitest.Say("ok"))
	talk(t, client(t, s, nil), "gpt-4.1", messages)
	talk(t, client(t, s, chat), "gpt-4.1", messages)
	for _, r := range append(other.Requests(), s.Requests()[2:]...) {
		if r.Refused != "" || strings.Contains(string(r.Body), "encrypted_content\":") {
			t.Errorf("refused %q: %s", r.Refused, r.Body)
		}
	}
}

// Some servers use the same IDs in every answer, or none, or one that is not accepted
// elsewhere.
func TestIDsOfCallsAreUnique(t *testing.T) {
	call := func(id, theirs string) model.Part {
		return model.Call{ID: id, ProviderID: theirs, Name: "f", Args: json.RawMessage(`{}`)}
	}
	result := func(id, theirs string) model.Part {
		return model.Result{CallID: id, ProviderID: theirs, Name: "f", Output: id}
	}
	for _, api := range apis {
		t.Run(api.name, func(t *testing.T) {
			s := start(t, api.server, openaitest.Say("ok"))
			long := strings.Repeat("x", 100)
			req := ask(api.model, "hi")
			req.Messages = append(req.Messages,
				said(call("call_1", "0"), call("call_2", "1")), user(result("call_2", "1"), result("call_1", "0")),
				said(call("call_3", "0"), call("call_4", ""), call(long, "not valid")), user(result("call_3", "0"), result("call_4", ""), result(long, "not valid")))
			if _, err := collect(t.Context(), client(t, s, api.change), req); err != nil {
				t.Fatal(err)
			}
			for _, id := range []string{`"0"`, `"1"`, `"call_3"`, `"call_4"`} {
				if n := strings.Count(string(s.Requests()[0].Body), `id":`+id); n != 2 {
					t.Errorf("%s is there %d times", id, n)
				}
			}
		})
	}
}

// What a generator sends must not depend on what it has sent before, or nothing is
// cached.
func TestConversationIsSentLikeANewOne(t *testing.T) {
	for _, api := range apis {
		t.Run(api.name, func(t *testing.T) {
			o := api.server
			o.Answer = func(openaitest.Request) openaitest.Reply { return openaitest.Say("ok") }
			s := start(t, o)
			old := client(t, s, api.change)
			var keys []string
			var last string
			for i := 1; i <= len(everything()); i += 2 {
				var bodies []string
				for _, g := range []model.Generator{old, client(t, s, api.change)} {
					req := model.Request{Model: api.model, System: "s", Messages: everything()[:i], Tools: []model.Tool{{Name: "b"}, {Name: "a"}}}
					if _, err := collect(t.Context(), g, req); err != nil {
						t.Fatal(err)
					}
					all := s.Requests()
					bodies = append(bodies, string(all[len(all)-1].Body))
				}
				if bodies[0] != bodies[1] {
					t.Errorf("request %d:\n%s\nalone:\n%s", i, bodies[0], bodies[1])
				}
				key, _ := body(t, s)["prompt_cache_key"].(string)
				keys, last = append(keys, key), bodies[0]
			}
			if keys[0] != keys[1] || keys[1] != keys[2] || strings.Contains(last, `"user":`) {
				t.Errorf("the cache keys are %q", keys)
			}
		})
	}
}
