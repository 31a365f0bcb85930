package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// wantSchema checks output against a published schema. Every test that reads the output
// of a run calls it.
func wantSchema(t *testing.T, name string, output []byte) {
	t.Helper()
	if err := validate(t, name, output); err != nil {
		t.Errorf("docs/%s does not allow %s: %v", name, output, err)
	}
}

func validate(t *testing.T, name string, output []byte) error {
	t.Helper()
	schemas.Lock()
	defer schemas.Unlock()
	if schemas.published[name] == nil {
		schemas.published[name] = resolveSchema(t, name)
	}
	var value any
	if err := json.Unmarshal(output, &value); err != nil {
		t.Fatal(err)
	}
	return schemas.published[name].Validate(value)
}

// schemas holds those that were read. A run prints hundreds of lines, and to read a schema
// takes longer than to check one.
var schemas = struct {
	sync.Mutex
	published map[string]*jsonschema.Resolved
}{published: map[string]*jsonschema.Resolved{}}

func resolveSchema(t *testing.T, name string) *jsonschema.Resolved {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(docs, name))
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(b, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// docs is the absolute path of docs, because tests change the current folder.
var docs = func() string {
	dir, err := filepath.Abs(filepath.Join("..", "..", "docs"))
	if err != nil {
		panic(err)
	}
	return dir
}()

// The schemas reject output that no run prints.
func TestSchemasOfRunRefuse(t *testing.T) {
	const counts = `"total_tokens":1,"input_tokens":1,"output_tokens":0,"cached":0,"input":1`
	const stats = `{` + counts + `,"duration_ms":1,"tool_calls":0,"models":{"m":{` + counts + `}}}`
	tests := []struct {
		name, schema, output string
		valid                bool
	}{
		{"an answer", "run.schema.json", `{"session_id":"a","response":"b","stats":` + stats + `}`, true},
		{"no stats", "run.schema.json", `{"session_id":"a","response":"b"}`, false},
		{"an unknown field", "run.schema.json", `{"session_id":"a","response":"b","more":1,"stats":` + stats + `}`, false},
		{"an unknown count", "run.schema.json", `{"session_id":"a","response":"b","stats":{"x":1,` + counts + `,"duration_ms":1,"tool_calls":0,"models":{}}}`, false},
		{"a status that is no exit status", "run.schema.json", `{"session_id":"a","response":"b","stats":` + stats + `,"error":{"type":"x","message":"y","code":2}}`, false},
		{"a line", "run-stream.schema.json", `{"type":"retract","timestamp":"2026-01-02T03:04:05.678Z","message_id":"m"}`, true},
		{"an unknown type", "run-stream.schema.json", `{"type":"other","timestamp":"2026-01-02T03:04:05.678Z"}`, false},
		{"a line without its time", "run-stream.schema.json", `{"type":"retract","message_id":"m"}`, false},
		{"another role", "run-stream.schema.json", `{"type":"message","timestamp":"2026-01-02T03:04:05.678Z","role":"tool","content":"","message_id":"m"}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := validate(t, tt.schema, []byte(tt.output)); (err == nil) != tt.valid {
				t.Errorf("validated with %v", err)
			}
		})
	}
}

// The turn ends before the first request after the budget was used up.
func TestABudgetEndsTheTurn(t *testing.T) {
	call := geminitest.Do(geminitest.Call("list_directory", `{"dir_path": "."}`))
	tests := []struct {
		name  string
		flags []string
		says  string // empty: the turn is not cut off
	}{
		{"tokens", []string{"--max-tokens", "1"}, "tokens were used, and the limit is 1."},
		{"more tokens than are used", []string{"--max-tokens", "1000000"}, ""},
		{"cost", []string{"--max-cost", "0.000001"}, "The cost is about $"},
		{"more than it costs", []string{"--max-cost", "10"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, call, geminitest.Say("Done."))
			r := w.run(append([]string{"-p", "go on", "-o", "json"}, tt.flags...)...)
			a := r.answer(t)
			if tt.says == "" {
				r.wantCode(t, exitOK)
				return
			}
			r.wantCode(t, exitTurnLimit)
			r.wantLine(t, "the budget was used up", tt.says, "--resume "+a.SessionID)
			if a.Error == nil || a.Error.Code != exitTurnLimit || a.Error.Type != "turn_limit" {
				t.Errorf("the error is %+v", a.Error)
			}
			if n := len(w.model.Requests()); n != 1 {
				t.Errorf("the model got %d requests", n)
			}
		})
	}
}

// A cost limit needs prices, because it could not be enforced otherwise.
func TestACostLimitNeedsPrices(t *testing.T) {
	call := geminitest.Do(geminitest.Call("list_directory", `{"dir_path": "."}`))
	w := newWorld(t, call, geminitest.Say("Done."))
	r := w.run("-p", "go on", "-m", "gemini-3.5-flash-lite", "--max-cost", "10")
	r.wantCode(t, exitTurnLimit)
	r.wantLine(t, "of 11 tokens is unknown")
}
