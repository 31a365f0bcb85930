package model_test

import (
	"encoding/json"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
)

func TestMembersKeepTheirOrder(t *testing.T) {
	const like = `{"type":"object","properties":{"z":{"type":"string"},"a":{"anyOf":[{"y":1,"b":2},{}]},"gone":{}},"required":["z","a"]}`
	v := map[string]any{
		"properties": map[string]any{"a": map[string]any{"anyOf": []any{map[string]any{"b": json.Number("2"), "y": json.Number("1")}, map[string]any{}}}, "new": map[string]any{}, "z": map[string]any{"type": "string"}},
		"required":   []any{"z", "a"}, "type": "object",
	}
	const want = `{"type":"object","properties":{"z":{"type":"string"},"a":{"anyOf":[{"y":1,"b":2},{}]},"new":{}},"required":["z","a"]}`
	if got, err := model.MarshalLike(v, []byte(like)); string(got) != want || err != nil {
		t.Errorf("got %s, want %s; %v", got, want, err)
	}
}
