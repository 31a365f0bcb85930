package gemini_test

import (
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/gemini"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

func TestCountTokens(t *testing.T) {
	s := geminitest.New(t)
	g := client(t, s, nil)
	req := ask("gemini-2.5-pro", "hello")
	few, err := g.CountTokens(t.Context(), req)
	if err != nil || few == 0 {
		t.Fatalf("%d tokens, %v", few, err)
	}
	req.System = "Be good, and say so in every answer that you give."
	req.Tools = []model.Tool{{Name: "f", Description: "does it", Schema: []byte(`{"type":"object"}`)}}
	req.Messages = append(req.Messages, said(model.Call{ID: "1", Name: "f", Args: []byte(`{"a":1}`)}), user(model.Result{CallID: "1", Name: "f", Output: "ok"}))
	if more, err := g.CountTokens(t.Context(), req); err != nil || more <= few {
		t.Errorf("%d tokens after %d, %v", more, few, err)
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests for answers", n)
	}
	refused := client(t, s, func(o *gemini.Options) { o.APIKey = "another" })
	_, err = refused.CountTokens(t.Context(), req)
	wantError(t, err, model.Auth)
}
