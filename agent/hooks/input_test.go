package hooks

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestInput(t *testing.T) {
	head := `{"session_id":"s1","transcript_path":"/log.jsonl","cwd":"/home/me/my app","hook_event_name":"%","timestamp":"2026-03-01T12:00:00.005Z",`
	for _, tt := range []struct {
		in   Input
		want string
	}{
		{ToolInput{Tool: "replace", Args: json.RawMessage(`{"a":"<b>"}`)}, `"tool_name":"replace","tool_input":{"a":"<b>"}}`},
		{ToolInput{Tool: "replace", Args: json.RawMessage(`{}`), Original: "glob"}, `"tool_name":"replace","tool_input":{},"original_request_name":"glob"}`},
		{ToolOutcome{ToolInput{Tool: "glob", Args: json.RawMessage(`{}`)}, ToolResponse{Content: "c", Display: "d"}}, `"tool_name":"glob","tool_input":{},"tool_response":{"llmContent":"c","returnDisplay":"d"}}`},
		{ToolOutcome{ToolInput{Tool: "glob", Args: json.RawMessage(`{}`)}, ToolResponse{Error: &ToolError{"m", "t"}}}, `"tool_name":"glob","tool_input":{},"tool_response":{"llmContent":"","returnDisplay":"","error":{"message":"m","type":"t"}}}`},
		{PromptInput{"p"}, `"prompt":"p"}`},
		{AnswerInput{"p", "r", true}, `"prompt":"p","prompt_response":"r","stop_hook_active":true}`},
		{StartInput{"startup"}, `"source":"startup"}`},
		{EndInput{"exit"}, `"reason":"exit"}`},
		{CompressInput{"auto"}, `"trigger":"auto"}`},
		{RequestInput{json.RawMessage(`{"model":"m"}`)}, `"llm_request":{"model":"m"}}`},
		{SelectionInput{json.RawMessage(`{"model":"m"}`)}, `"llm_request":{"model":"m"}}`},
		{ResponseInput{json.RawMessage(`{"model":"m"}`), json.RawMessage(`{"text":"t"}`)}, `"llm_request":{"model":"m"},"llm_response":{"text":"t"}}`},
		{NotificationInput{"ToolPermission", "m", map[string]any{"type": "exec"}}, `"notification_type":"ToolPermission","message":"m","details":{"type":"exec"}}`},
	} {
		t.Run(string(tt.in.Event()), func(t *testing.T) {
			got, err := scene.text(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Replace(head, "%", string(tt.in.Event()), 1) + tt.want; string(got) != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}
