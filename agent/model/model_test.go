package model_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
)

func TestMessagesKeepEverythingInStorage(t *testing.T) {
	in := model.Message{ID: "m1", Role: model.Model, Parts: []model.Part{
		model.Text{Text: "a\u2028b", Signature: []byte{0, 255}},
		model.Text{Signature: []byte{1}, Issuer: "b"},
		model.Thought{Text: "hm", Signature: []byte{2}, Issuer: "a"},
		model.Blob{MIME: "image/png", Data: []byte{0, 1, 2}},
		model.Call{ID: "1", ProviderID: "p", Name: "f", Args: json.RawMessage(`{"n":9007199254740993}`), Signature: []byte{3}, Issuer: "c"},
		model.Result{CallID: "1", ProviderID: "p", Name: "f", Output: "", Failed: true, Blobs: []model.Blob{{MIME: "text/plain", Data: []byte("x")}}},
	}}
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out model.Message
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(in, out); d != "" {
		t.Errorf("it came back different (-want +got):\n%s", d)
	}
	if err := json.Unmarshal([]byte(`{"id":"m","role":"user","parts":[{}]}`), &out); err == nil {
		t.Error("a part of no kind was read")
	}
}

func TestCallIDsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := model.NewCallID()
		if seen[id] || len(id) < 20 {
			t.Fatalf("%q", id)
		}
		seen[id] = true
	}
}

func TestRetryableErrors(t *testing.T) {
	for kind, want := range map[model.ErrorKind]bool{
		model.RateLimited: true, model.Unavailable: true, model.Cut: true, model.Empty: true,
		model.Auth: false, model.Quota: false, model.Overflow: false, model.Invalid: false, model.NotFound: false, model.NoAccess: false, model.TLS: false, model.Blocked: false,
	} {
		if got := (&model.Error{Kind: kind}).Temporary(); got != want {
			t.Errorf("%s: temporary is %v", kind, got)
		}
	}
}
