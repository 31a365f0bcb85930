package modeltest_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
)

func user(parts ...model.Part) model.Message { return model.Message{Role: model.User, Parts: parts} }

func said(parts ...model.Part) model.Message { return model.Message{Role: model.Model, Parts: parts} }

func text(s string) model.Part { return model.Text{Text: s} }

func call(id, name string) model.Part {
	return model.Call{ID: id, Name: name, Args: json.RawMessage(`{}`)}
}

func result(id, name string) model.Part {
	return model.Result{CallID: id, Name: name, Output: "ok"}
}

func TestCheckMatchesAStrictProvider(t *testing.T) {
	for _, tt := range []struct {
		name     string
		messages []model.Message
		tools    []model.Tool
		want     string // in the error; empty: none
	}{
		{name: "a question", messages: []model.Message{user(text("a"))}},
		{name: "calls and their answers", messages: []model.Message{user(text("a")), said(call("1", "f"), call("2", "f")), user(result("2", "f"), result("1", "f"), text("and"))}},
		{name: "a signature alone", messages: []model.Message{user(text("a")), said(model.Text{Signature: []byte{1}}), user(text("b"))}},
		{name: "no messages", want: "no messages"},
		{name: "the model begins", messages: []model.Message{said(text("a"))}, want: "message 0 has role"},
		{name: "the model ends", messages: []model.Message{user(text("a")), said(text("b"))}, want: "the last message is the model's"},
		{name: "the user speaks twice", messages: []model.Message{user(text("a")), user(text("b"))}, want: "message 1 has role"},
		{name: "an empty message", messages: []model.Message{user()}, want: "message 0: it has no parts"},
		{name: "an empty text", messages: []model.Message{user(text(""))}, want: "part 0 is an empty text"},
		{name: "an empty blob", messages: []model.Message{user(model.Blob{MIME: "image/png"})}, want: "part 0 is an empty blob"},
		{name: "a call of the user's", messages: []model.Message{user(call("1", "f"))}, want: "call of the user's"},
		{name: "a call without an answer", messages: []model.Message{user(text("a")), said(call("1", "f")), user(text("b"))}, want: `does not answer the call "1"`},
		{name: "a call answered late", messages: []model.Message{user(text("a")), said(call("1", "f")), user(text("b")), said(text("c")), user(result("1", "f"))}, want: "message 2: it does not answer"},
		{name: "an answer to nothing", messages: []model.Message{user(text("a")), said(text("b")), user(result("1", "f"))}, want: "not called just before"},
		{name: "an answer given twice", messages: []model.Message{user(text("a")), said(call("1", "f")), user(result("1", "f"), result("1", "f"))}, want: "answered already"},
		{name: "an answer by another name", messages: []model.Message{user(text("a")), said(call("1", "f")), user(result("1", "g"))}, want: `by the name g`},
		{name: "arguments that are not an object", messages: []model.Message{user(text("a")), said(model.Call{ID: "1", Name: "f", Args: json.RawMessage(`[]`)}), user(result("1", "f"))}, want: "arguments are not an object"},
		{name: "a tool twice", messages: []model.Message{user(text("a"))}, tools: []model.Tool{{Name: "f"}, {Name: "f"}}, want: `the tool "f"`},
		{name: "a schema that is not an object's", messages: []model.Message{user(text("a"))}, tools: []model.Tool{{Name: "f", Schema: json.RawMessage(`{"type":"string"}`)}}, want: "schema of f"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := modeltest.Check(model.Request{Messages: tt.messages, Tools: tt.tools})
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestScriptPlaysItsReplies(t *testing.T) {
	m := &modeltest.Script{Replies: []modeltest.Reply{
		{modeltest.Think("hm"), modeltest.Call("f", `{}`), modeltest.Usage(model.Usage{Total: 7})},
		{modeltest.Say("a"), modeltest.Fail(model.Cut), modeltest.Say("never")},
	}}
	req := model.Request{Messages: []model.Message{user(text("a"))}}
	var parts []model.Part
	var finish model.Finish
	for c, err := range m.Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, c.Parts...)
		finish = c.Finish
	}
	if len(parts) != 2 || parts[1].(model.Call).ID != "call-1" || finish != model.Stop {
		t.Errorf("got %v, finish %q", parts, finish)
	}
	for _, want := range []model.ErrorKind{model.Cut, model.Invalid} {
		var last error
		for _, err := range m.Stream(t.Context(), req) {
			last = err
		}
		var e *model.Error
		if !errors.As(last, &e) || e.Kind != want {
			t.Errorf("ended with %v, want %s", last, want)
		}
	}
	if n := len(m.Requests()); n != 3 {
		t.Errorf("%d requests", n)
	}
}

func TestScriptWaitCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		began := false
		m := &modeltest.Script{Replies: []modeltest.Reply{
			{modeltest.Pause(time.Minute), modeltest.Do(func() { began = true }), modeltest.Hold(gate), modeltest.Say("a")},
			{modeltest.Pause(time.Hour), modeltest.Say("never")},
		}}
		req := model.Request{Messages: []model.Message{user(text("a"))}}
		time.AfterFunc(2*time.Minute, func() { close(gate) })
		started := time.Now()
		for _, err := range m.Stream(t.Context(), req) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(started); took != 2*time.Minute || !began {
			t.Errorf("took %v, began %v", took, began)
		}
		why := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, why)
		defer cancel()
		for _, err := range m.Stream(ctx, req) {
			if !errors.Is(err, why) {
				t.Errorf("ended with %v", err)
			}
		}
	})
}
