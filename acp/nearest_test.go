package acp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/transcript"
)

func TestReadAbilities(t *testing.T) {
	for raw, want := range map[string]Abilities{
		``:     {},
		`null`: {},
		`{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"elicitation":{"form":{}},"session":{"notices":{},"compaction":{}},"auth":{"terminal":true}}`: {
			ReadFiles: true, WriteFiles: true, Terminals: true, Forms: true, Notices: true, Compactions: true, SignsIn: true,
		},
		`{"fs":{"readTextFile":true},"elicitation":{"url":{}},"session":{"notices":null}}`: {ReadFiles: true},
		`{"fs":[true],"terminal":"yes","elicitation":true,"session":7,"auth":null}`:        {},
		`[]`: {},
	} {
		if got := ReadAbilities(json.RawMessage(raw)); got != want {
			t.Errorf("%s: got %+v, want %+v", raw, got, want)
		}
	}
}

func TestNearestStopReasons(t *testing.T) {
	for given, want := range map[transcript.StopReason]transcript.StopReason{
		transcript.EndTurn: "end_turn", transcript.StopMaxTokens: "max_tokens", transcript.MaxTurnRequests: "max_turn_requests", transcript.Refusal: "refusal",
		transcript.StopCancelled: "cancelled", transcript.StopLoop: "max_turn_requests", transcript.StopBlocked: "refusal",
	} {
		if got := PromptedOf("t", given, transcript.Usage{}).StopReason; got != want {
			t.Errorf("%s is answered %s, want %s", given, got, want)
		}
	}
}

func TestNearestCompaction(t *testing.T) {
	e := transcript.Compaction{ID: "c", Status: "completed", OriginalTokens: 900, NewTokens: 90}
	for _, tt := range []struct {
		can  Abilities
		want string
	}{
		{Abilities{Compactions: true}, `{"sessionUpdate":"compaction_update","compactionId":"c","status":"completed","_meta":`},
		{Abilities{}, `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"\n\nThe conversation was compacted.\n\n"},"messageId":"c","_meta":{"emendo":{"sessionUpdate":"compaction_update"`},
	} {
		if got, ok := Nearest(e, tt.can); !ok || !strings.HasPrefix(string(got), tt.want) {
			t.Errorf("%+v: got %s", tt.can, got)
		}
	}
}
