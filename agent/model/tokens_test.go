package model_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/agent/model"
)

func TestText(t *testing.T) {
	for _, tt := range []struct {
		name string
		text string
		want int64
	}{
		{"nothing", "", 0},
		{"what is less than a token", "abc", 0},
		{"four characters of ASCII are one token", "abcd", 1},
		{"white space counts", "a \n\t", 1},
		{"two letters of another alphabet are one", "äö", 1},
		{"whatever the alphabet", "Привет, мир", 5},
		{"letters count by character, not by byte", "ไฟล์เดิม", 4},
		{"four of East Asia are three", "漢字かな", 3},
		{"two symbols are three", "→→", 3},
		{"one beyond the first plane is one character", "😀😀", 3},
		{"the sum is rounded, not its terms", "aaä", 1},
		{"bytes that are not text", "\xff\xff", 3},
		{"a very long text is counted like a short one", strings.Repeat("漢", 200_000), 150_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := model.TextTokens(tt.text); got != tt.want {
				t.Errorf("%d tokens, want %d", got, tt.want)
			}
		})
	}
}

func TestPart(t *testing.T) {
	picture := model.Blob{MIME: "image/png", Data: make([]byte, 5)}
	for _, tt := range []struct {
		name string
		part model.Part
		want int64
	}{
		{"a text", model.Text{Text: "12345678"}, 2},
		{"a signature is free", model.Text{Signature: make([]byte, 100)}, 0},
		{"a thought stays here", model.Thought{Text: strings.Repeat("x", 100)}, 0},
		{"a call is its name and its arguments", model.Call{ID: "call-1234", Name: "grep", Args: []byte(`{"a":"b"}`)}, 3},
		{"a result is its name and its output", model.Result{CallID: "call-1234", Name: "grep", Output: "12345678"}, 3},
		{"a result's pictures count", model.Result{Name: "read", Output: "1234", Blobs: []model.Blob{picture, picture}}, 6002},
		{"a picture of any size", picture, 3000},
		{"a PDF of any size", model.Blob{MIME: "application/pdf", Data: make([]byte, 5)}, 25_800},
		{"sound by its length", model.Blob{MIME: "audio/mpeg", Data: make([]byte, 4000)}, 32},
		{"film by its length", model.Blob{MIME: "video/mp4", Data: make([]byte, 40_000)}, 320},
		{"text in a blob is text", model.Blob{MIME: "text/plain", Data: []byte("12345678")}, 2},
		{"other bytes as base64", model.Blob{MIME: "application/zip", Data: make([]byte, 300)}, 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := model.PartTokens(tt.part); got != tt.want {
				t.Errorf("%d tokens, want %d", got, tt.want)
			}
		})
	}
}

func TestRequestIsTheSumOfItsParts(t *testing.T) {
	req := model.Request{
		System: "12345678",                                                                                 // 2
		Tools:  []model.Tool{{Name: "read", Description: "12345678", Schema: []byte(`{"type":"object"}`)}}, // 1 + 2 + 4
		Messages: []model.Message{
			{Role: model.User, Parts: []model.Part{model.Text{Text: "1234"}, model.Text{Text: "1234"}}}, // 2
			{Role: model.Model, Parts: []model.Part{model.Text{Text: "12345678"}}},                      // 2
		},
	}
	if got := model.RequestTokens(req); got != 13 {
		t.Errorf("%d tokens, want 13", got)
	}
}

func TestALongerTextIsNeverCheaper(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		if model.TextTokens(a+b) < max(model.TextTokens(a), model.TextTokens(b)) {
			t.Fatalf("%q and %q cost less than either", a, b)
		}
	})
}
