package replay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/model/replay"
)

func ask(text string) model.Request {
	return model.Request{Messages: []model.Message{{Role: model.User, Parts: []model.Part{model.Text{Text: text}}}}}
}

// play collects a stream; ids of calls, which are random, are left out.
func play(ctx context.Context, g model.Generator, req model.Request) ([]model.Chunk, error) {
	var out []model.Chunk
	for c, err := range g.Stream(ctx, req) {
		if err != nil {
			return out, err
		}
		for i, p := range c.Parts {
			if call, ok := p.(model.Call); ok {
				call.ID = ""
				c.Parts[i] = call
			}
		}
		out = append(out, c)
	}
	return out, nil
}

func kind(err error) model.ErrorKind {
	var e *model.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

func TestWrittenRecordingPlays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, err := replay.New("demo", strings.NewReader(`
{"chunks": [{"parts": [{"thought": "hm"}]}, {"delayMs": 1500, "parts": [{"text": "a"}, {"call": {"name": "f", "args": {"n": 9007199254740993}}}], "usage": {"input": 3, "output": 2, "total": 5}, "finish": "stop", "finishWord": "STOP"}]}

{"match": "second", "chunks": [{"parts": [{"text": "two"}], "finish": "stop"}]}
{"chunks": [{"parts": [{"text": "cut"}]}]}
{"chunks": [{"parts": [{"call": {"name": "g"}}], "citations": [{"title": "t", "uri": "u"}], "responseId": "r"}], "error": {"kind": "rate_limited", "status": 429, "message": "slow", "retryAfterMs": 2500}}
`))
		if err != nil {
			t.Fatal(err)
		}
		started := time.Now()
		got, err := play(t.Context(), g, ask("first"))
		if err != nil || time.Since(started) != 1500*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(started))
		}
		want := []model.Chunk{
			{Parts: []model.Part{model.Thought{Text: "hm"}}},
			{
				Parts: []model.Part{model.Text{Text: "a"}, model.Call{Name: "f", Args: json.RawMessage(`{"n": 9007199254740993}`)}},
				Usage: &model.Usage{Input: 3, Output: 2, Total: 5}, Finish: model.Stop, FinishWord: "STOP",
			},
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("the first response differs (-want +got):\n%s", d)
		}
		if _, err := play(t.Context(), g, ask("third")); kind(err) != model.Cut {
			t.Errorf("a response without a finish ended with %v", err)
		}
		got, err = play(t.Context(), g, ask("the second"))
		if d := cmp.Diff([]model.Chunk{{Parts: []model.Part{model.Text{Text: "two"}}, Finish: model.Stop}}, got); d != "" || err != nil {
			t.Errorf("the matching response: %v (-want +got):\n%s", err, d)
		}
		got, err = play(t.Context(), g, ask("x"))
		var e *model.Error
		if !errors.As(err, &e) || e.RetryAfter != 2500*time.Millisecond || e.Status != 429 || len(got) != 1 {
			t.Errorf("%v, %v", got, err)
		}
		if _, err := play(t.Context(), g, ask("x")); kind(err) != model.Invalid || !strings.Contains(err.Error(), "demo") {
			t.Errorf("an exhausted recording ended with %v", err)
		}
	})
}

func TestBadRecordingsNameTheirLine(t *testing.T) {
	for name, line := range map[string]string{
		"not JSON":                  `{"chunks": [`,
		"two on a line":             `{"chunks": [{"finish": "stop"}]} {"chunks": [{"finish": "stop"}]}`,
		"an unknown field":          `{"chunk": []}`,
		"nothing in it":             `{}`,
		"an unknown finish":         `{"chunks": [{"finish": "STOP"}]}`,
		"an unknown kind":           `{"error": {"kind": "oops"}}`,
		"an answer to a call":       `{"chunks": [{"parts": [{"result": {"callId": "1", "name": "f", "output": ""}}]}]}`,
		"a call without a name":     `{"chunks": [{"parts": [{"call": {"args": {}}}]}]}`,
		"a part of no kind":         `{"chunks": [{"parts": [{"txt": "a"}]}]}`,
		"parts that are not a list": `{"chunks": [{"parts": {}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := replay.New("demo", strings.NewReader("\n"+line+"\n"))
			if err == nil || !strings.Contains(err.Error(), "demo, line 2") {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := replay.Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestRecordingIsReplayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		chunks := []modeltest.Step{
			modeltest.Say("a <b> \u2028"),
			modeltest.Pause(250 * time.Millisecond),
			modeltest.Part(model.Call{Name: "f", ProviderID: "p", Args: json.RawMessage(`{"n":9007199254740993}`), Signature: []byte{0, 255}}),
			modeltest.Chunk(model.Chunk{Citations: []model.Citation{{Title: "t", URI: "u"}}, ResponseID: "r", Usage: &model.Usage{Input: 1, Total: 1}}),
		}
		s := &modeltest.Script{Replies: []modeltest.Reply{
			append([]modeltest.Step{modeltest.Say("void"), modeltest.Chunk(model.Chunk{Retry: &model.Retry{Attempt: 1}}), modeltest.Chunk(model.Chunk{Unsent: &model.Unsent{Pictures: 1}})}, chunks...),
			{modeltest.Say("b"), modeltest.FailWith(&model.Error{Kind: model.RateLimited, Status: 429, Message: "slow", RetryAfter: time.Second})},
			{modeltest.Say("left"), modeltest.Say("c")},
			{modeltest.Say("c")},
		}}
		var file bytes.Buffer
		rec := replay.Record(s, &file)
		if _, err := play(t.Context(), rec, ask("1")); err != nil {
			t.Fatal(err)
		}
		if _, err := play(t.Context(), rec, ask("2")); kind(err) != model.RateLimited {
			t.Fatal(err)
		}
		for range rec.Stream(t.Context(), ask("3")) {
			break
		}
		path := filepath.Join(t.TempDir(), "r.jsonl")
		if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		g, err := replay.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		started := time.Now()
		got, err := play(t.Context(), g, ask("1"))
		if err != nil || time.Since(started) != 250*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(started))
		}
		want, err := play(t.Context(), &modeltest.Script{Replies: []modeltest.Reply{chunks}}, ask("1"))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("it plays something else (-want +got):\n%s", d)
		}
		if _, err := play(t.Context(), g, ask("2")); kind(err) != model.RateLimited {
			t.Errorf("got %v", err)
		}
		if _, err := play(t.Context(), g, ask("3")); kind(err) != model.Invalid {
			t.Errorf("a response that was left was recorded: %v", err)
		}
	})
}

// full is a full writer.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestUnrecordableAnswerFails(t *testing.T) {
	s := &modeltest.Script{Replies: []modeltest.Reply{{modeltest.Say("a")}}}
	if _, err := play(t.Context(), replay.Record(s, full{}), ask("1")); kind(err) != model.Invalid {
		t.Errorf("got %v", err)
	}
}

func TestReplayCanBeCancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, err := replay.New("demo", strings.NewReader(`{"chunks":[{"delayMs":60000,"finish":"stop"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		why := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
		defer cancel()
		if _, err := play(ctx, g, ask("1")); !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
	})
}
