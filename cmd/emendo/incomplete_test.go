package main

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// An incomplete answer is a failure in every format, but is printed.
func TestAnIncompleteAnswerIsAFailure(t *testing.T) {
	for _, reason := range []string{"MAX_TOKENS", "OTHER"} {
		for _, format := range []string{"text", "json", "stream-json"} {
			t.Run(reason+" "+format, func(t *testing.T) {
				w := newWorld(t, geminitest.Say("Half of").Stop(reason))
				r := w.run("-p", "hi", "--output-format", format)
				r.wantCode(t, 1)
				r.wantLine(t, "the answer is incomplete", "--resume")
				if !strings.Contains(r.stdout, "Half of") {
					t.Errorf("the answer is not printed: %q", r.stdout)
				}
				if format == "json" {
					if a := r.answer(t); a.Error == nil || a.Error.Code != 1 || !strings.Contains(a.Error.Message, "incomplete") {
						t.Errorf("answered %+v", a)
					}
				}
			})
		}
	}
}

// The model and the sources of an answer are shown.
func TestInformationIsShown(t *testing.T) {
	answer := geminitest.Do(geminitest.Text("So it is."), geminitest.Event{Citations: []geminitest.Citation{{Title: "B", URI: "https://b.example"}, {Title: "A", URI: "https://a.example"}}})
	t.Run("text", func(t *testing.T) {
		w := newWorld(t, answer)
		r := w.run("-p", "hi")
		r.wantCode(t, 0)
		r.wantLine(t, "Sources", "- [A](https://a.example) - [B](https://b.example)")
		if r.stdout != "So it is.\n" {
			t.Errorf("printed %q", r.stdout)
		}
	})
	t.Run("stream-json", func(t *testing.T) {
		w := newWorld(t, answer)
		r := w.run("-p", "hi", "--output-format", "stream-json")
		r.wantCode(t, 0)
		notices := map[any]string{}
		for _, l := range r.lines(t) {
			if l["type"] == "notice" {
				notices[l["code"]] = l["message"].(string)
			}
		}
		if !strings.Contains(notices["model"], "gemini-3") || !strings.Contains(notices["citation"], "https://a.example") {
			t.Errorf("notices %v", notices)
		}
	})
}

// A compaction is shown once it is over, on standard error or as a line.
func TestACompactionIsShown(t *testing.T) {
	for _, tt := range []struct {
		format, status, printed, warned string
	}{
		{format: "text", status: "completed", warned: "emendo: The history was shortened for the model: 900 → 90 tokens"},
		{format: "json", status: "failed", warned: "emendo: The history could not be shortened."},
		{format: "stream-json", status: "completed", printed: `"code":"compaction","message":"conversation summarized: 900 tokens reduced to 90"`},
		{format: "text", status: "in_progress"},
	} {
		t.Run(tt.format+" "+tt.status, func(t *testing.T) {
			var printed, warned strings.Builder
			o := process{stdout: &printed, stderr: &warned}.output(tt.format, func(error) {})
			if err := o.Show(t.Context(), transcript.Update{Event: transcript.Compaction{ID: "c", Status: tt.status, OriginalTokens: 900, NewTokens: 90}}); err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(warned.String()); got != tt.warned {
				t.Errorf("warned %q", got)
			}
			if got := printed.String(); !strings.Contains(got, tt.printed) || tt.printed == "" && got != "" {
				t.Errorf("printed %q", got)
			}
		})
	}
}

// A run whose answer breaks off has one message, in every format.
func TestABrokenAnswerHasOneMessage(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reply geminitest.Reply
		says  string
	}{
		{"cut", geminitest.Reply{Events: []geminitest.Event{geminitest.Text("Half of")}, End: servertest.Cut}, "emendo: model request: the response broke off: the server closed the connection (HTTP 200)\n"},
		{"empty", geminitest.Say(""), "emendo: model request: the model returned an empty answer\n"},
	} {
		for _, format := range []string{"text", "json", "stream-json"} {
			t.Run(tt.name+" "+format, func(t *testing.T) {
				w := newWorld(t, tt.reply)
				w.settings(`{"general.maxAttempts": 1}`)
				r := w.run("-p", "hi", "--output-format", format)
				r.wantCode(t, exitFailure)
				if r.stderr != tt.says {
					t.Errorf("printed %q, want %q", r.stderr, tt.says)
				}
			})
		}
	}
}
