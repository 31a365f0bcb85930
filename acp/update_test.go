package acp_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

func TestEveryEventHasItsUpdate(t *testing.T) {
	usage := transcript.Usage{Usage: model.Usage{Input: 1, Output: 2, Cached: 3, Thought: 4, Tool: 5, Total: 6}, ContextLimit: 7}
	const counts = `{"inputTokens":1,"outputTokens":2,"cachedTokens":3,"thoughtTokens":4,"toolTokens":5,"totalTokens":6,"contextLimit":7}`
	priced := usage
	priced.Cost, priced.Priced = 0.5, 6
	partly := usage
	partly.Cost, partly.Priced = 0.25, 5
	old := "a\n"
	for _, c := range []struct {
		name  string
		event transcript.Event
		want  string
	}{
		{name: "what the user says", event: transcript.UserChunk{MessageID: "m", Block: transcript.Block{Type: transcript.TextBlock, Text: "<hi>"}}, want: `{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"<hi>"},"messageId":"m"}`},
		{name: "what the model says", event: transcript.Text{MessageID: "m", Part: 3, Text: "a", Signature: []byte("s")}, want: `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},"messageId":"m"}`},
		{name: "a thought with its subject", event: transcript.Thought{MessageID: "m", Subject: "S", Text: "a"}, want: `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"a"},"messageId":"m","_meta":{"emendo":{"subject":"S"}}}`},
		{name: "more of a thought", event: transcript.Thought{MessageID: "m", Text: "a"}, want: `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"a"},"messageId":"m"}`},
		{
			name: "a call", event: transcript.ToolCall{MessageID: "m", CallID: "c", ProviderID: "p", Name: "replace", Args: json.RawMessage(`{"a":1}`), Title: "Edit a", Kind: tools.Kind("edit")},
			want: `{"sessionUpdate":"tool_call","toolCallId":"c","title":"Edit a","name":"replace","kind":"edit","status":"pending","rawInput":{"a":1},"_meta":{"emendo":{"state":"validating"}}}`,
		},
		{name: "a call of an unknown kind", event: transcript.ToolCall{CallID: "c", Name: "f", Args: json.RawMessage(`{}`), Title: "f"}, want: `{"sessionUpdate":"tool_call","toolCallId":"c","title":"f","name":"f","kind":"other","status":"pending","rawInput":{},"_meta":{"emendo":{"state":"validating"}}}`},
		{name: "a call that waits its turn", event: transcript.ToolUpdate{CallID: "c", State: transcript.Scheduled}, want: `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"pending","_meta":{"emendo":{"state":"scheduled"}}}`},
		{
			name: "an edit that waits for the user", event: transcript.ToolUpdate{
				CallID: "c", State: transcript.AwaitingApproval, Title: "Edit a", ChangeSetID: "s", Locations: []tools.Location{{Path: "/w/a", Line: 4}},
				Diffs: []transcript.Diff{{Path: "/w/a", Old: &old, New: "b\n"}, {Path: "/w/new", New: "c\n"}},
			},
			want: `{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"Edit a","status":"pending","content":[{"type":"diff","path":"/w/a","oldText":"a\n","newText":"b\n"},{"type":"diff","path":"/w/new","oldText":null,"newText":"c\n"}],"locations":[{"path":"/w/a","line":4}],"_meta":{"emendo":{"state":"awaiting_approval","changeSetId":"s"}}}`,
		},
		{
			name: "a command that runs", event: transcript.ToolUpdate{CallID: "c", State: transcript.Executing, Live: "out\n", PID: 9},
			want: `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"in_progress","content":[{"type":"content","content":{"type":"text","text":"` + "```\\nout\\n```" + `"}}],"_meta":{"emendo":{"state":"executing","pid":9}}}`,
		},
		{
			name: "a call that has done its work", event: transcript.ToolUpdate{CallID: "c", State: transcript.Success, Output: "for the model", Display: "for *you*", Summary: "1 line"},
			want: `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","content":[{"type":"content","content":{"type":"text","text":"for *you*"}}],"_meta":{"emendo":{"state":"success","durationMs":0,"summary":"1 line"}}}`,
		},
		{
			name: "a call that fails", event: transcript.ToolUpdate{CallID: "c", State: transcript.Failure, Output: "no such file", ErrorType: tools.ErrorType("file_not_found"), DurationMS: 12},
			want: `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed","content":[{"type":"content","content":{"type":"text","text":"no such file"}}],"_meta":{"emendo":{"state":"error","errorType":"file_not_found","durationMs":12}}}`,
		},
		{
			name: "a call that is cancelled", event: transcript.ToolUpdate{CallID: "c", State: transcript.Cancelled, Output: "stopped", ErrorType: tools.ErrorType("cancelled")},
			want: `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed","content":[{"type":"content","content":{"type":"text","text":"stopped"}}],"_meta":{"emendo":{"state":"cancelled","errorType":"cancelled","durationMs":0}}}`,
		},
		{
			name: "what is to do", event: transcript.Plan{Entries: []transcript.PlanEntry{{Content: "x", Priority: "medium", Status: "in_progress"}}},
			want: `{"sessionUpdate":"plan","entries":[{"content":"x","priority":"medium","status":"in_progress"}]}`,
		},
		{name: "nothing to do any more", event: transcript.Plan{}, want: `{"sessionUpdate":"plan","entries":[]}`},
		{name: "another mode", event: transcript.ModeChanged{Mode: policy.Plan}, want: `{"sessionUpdate":"current_mode_update","currentModeId":"plan"}`},
		{
			name: "another model", event: transcript.ModelChanged{Model: "gemini-3-pro-preview"},
			want: `{"sessionUpdate":"config_option_update","configOptions":[{"id":"model","name":"Model","category":"model","type":"select","currentValue":"gemini-3-pro-preview","options":[{"value":"gemini-3-pro-preview","name":"gemini-3-pro-preview"}]}]}`,
		},
		{
			name: "another title", event: transcript.InfoChanged{Title: "T", At: time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.FixedZone("", 3600))},
			want: `{"sessionUpdate":"session_info_update","title":"T","updatedAt":"2026-01-02T02:04:05.006Z"}`,
		},
		{
			name: "tokens with their price", event: transcript.UsageUpdated{Used: 8, Size: 9, Usage: priced},
			want: `{"sessionUpdate":"usage_update","used":8,"size":9,"cost":{"amount":0.5,"currency":"USD"},"_meta":{"emendo":` + strings.TrimSuffix(counts, "}") + `,"cost":{"amount":0.5,"currency":"USD","estimated":true}}}}`,
		},
		{
			name: "tokens of which one has no price", event: transcript.UsageUpdated{Used: 8, Size: 9, Usage: partly},
			want: `{"sessionUpdate":"usage_update","used":8,"size":9,"cost":{"amount":0.25,"currency":"USD"},"_meta":{"emendo":` + strings.TrimSuffix(counts, "}") + `,"cost":{"amount":0.25,"currency":"USD","estimated":true,"atLeast":true}}}}`,
		},
		{name: "tokens", event: transcript.UsageUpdated{Used: 8, Size: 9, Usage: usage}, want: `{"sessionUpdate":"usage_update","used":8,"size":9,"_meta":{"emendo":` + counts + `}}`},
		{
			name: "sources", event: transcript.Notice{Severity: transcript.Info, Code: transcript.NoticeCitation, Title: "Sources", Description: "- https://x\n"},
			want: `{"sessionUpdate":"notice","severity":"info","title":"Sources","description":"- https://x\n","_meta":{"emendo":{"code":"citation"}}}`,
		},
		{name: "a retry at once", event: transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeRetry, Title: "Again"}, want: `{"sessionUpdate":"notice","severity":"warning","title":"Again","_meta":{"emendo":{"code":"retry","retryAfterMs":0}}}`},
		{
			name: "an attempt of several", event: transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeRetry, Title: "Again", RetryAfterMS: 7, Attempt: 2, MaxAttempts: 5, Type: "cut"},
			want: `{"sessionUpdate":"notice","severity":"warning","title":"Again","_meta":{"emendo":{"code":"retry","retryAfterMs":7,"attempt":2,"maxAttempts":5,"type":"cut"}}}`,
		},
		{
			name: "an overflow", event: transcript.Notice{Severity: transcript.Error, Code: transcript.NoticeContextOverflow, Title: "No", RequestTokens: 9, ContextLimit: 8},
			want: `{"sessionUpdate":"notice","severity":"error","title":"No","_meta":{"emendo":{"code":"context_overflow","requestTokens":9,"contextLimit":8}}}`,
		},
		{name: "hooks that ran", event: transcript.Notice{Severity: transcript.Info, Code: transcript.NoticeHook, Title: "The hook a ran", Hook: &transcript.HookRun{Names: []string{"a"}, Event: "BeforeTool", DurationMS: 3, Outcome: "ok"}}, want: `{"sessionUpdate":"notice","severity":"info","title":"The hook a ran","_meta":{"emendo":{"code":"hook","hook":{"names":["a"],"event":"BeforeTool","durationMs":3,"outcome":"ok"}}}}`},
		{name: "a failure", event: transcript.Notice{Severity: transcript.Error, Code: transcript.NoticeError, Title: "No"}, want: `{"sessionUpdate":"notice","severity":"error","title":"No","_meta":{"emendo":{"code":"error"}}}`},
		{
			name: "a summary of the conversation", event: transcript.Compaction{ID: "k", Status: "completed", OriginalTokens: 10, NewTokens: 3},
			want: `{"sessionUpdate":"compaction_update","compactionId":"k","status":"completed","_meta":{"emendo":{"originalTokens":10,"newTokens":3}}}`,
		},
		{name: "a message to forget", event: transcript.Retract{MessageID: "m"}, want: `{"sessionUpdate":"_emendo/retract","messageId":"m"}`},
		{
			name: "the end of an answer", event: transcript.ResponseFinished{MessageID: "m", Reason: model.Safety, Word: "RECITATION", Usage: usage},
			want: `{"sessionUpdate":"_emendo/response_finished","messageId":"m","reason":"safety","usage":` + counts + `,"_meta":{"emendo":{"providerReason":"RECITATION"}}}`,
		},
		{name: "the end of a turn", event: transcript.TurnEnded{StopReason: transcript.StopCancelled, Usage: usage}, want: `{"sessionUpdate":"_emendo/turn_ended","stopReason":"cancelled","usage":` + counts + `}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := unescaped(acp.Update(c.event)); got != c.want {
				t.Errorf("got\n%s, want\n%s", got, c.want)
			}
		})
	}
}

func TestEveryShownEventHasItsUpdate(t *testing.T) {
	for _, e := range transcript.ShownKinds() {
		t.Run(transcript.KindOf(e), func(t *testing.T) {
			switch c := e.(type) { //nolint:gochecksumtype // the zero values of the others can be shown
			case transcript.UserChunk:
				c.Block.Type = transcript.TextBlock
				e = c
			case transcript.ToolUpdate:
				c.State = transcript.Executing
				e = c
			}
			var update, nearest struct{ SessionUpdate string }
			if err := json.Unmarshal(acp.Update(e), &update); err != nil || update.SessionUpdate == "" {
				t.Errorf("got %s, error %v", acp.Update(e), err)
			}
			text, sent := acp.Nearest(e, acp.Abilities{})
			if sent {
				if err := json.Unmarshal(text, &nearest); err != nil {
					t.Error(err)
				}
			}
			if strings.HasPrefix(nearest.SessionUpdate, "_") || !sent && !strings.HasPrefix(update.SessionUpdate, "_emendo/") {
				t.Errorf("to a client that declared nothing: %s, sent: %t", text, sent)
			}
		})
	}
}

// unescaped writes < and its kin as they are.
func unescaped(b json.RawMessage) string {
	r := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")
	return r.Replace(string(b))
}
