package model_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
)

func TestMarksGoBackToTheirIssuerOnly(t *testing.T) {
	sig := []byte("s")
	conversation := func(issuer string) []model.Message {
		return []model.Message{
			{Role: model.User, Parts: []model.Part{model.Text{Text: "go"}}},
			{Role: model.Model, Parts: []model.Part{
				model.Thought{Text: "hm", Signature: sig, Issuer: issuer},
				model.Text{Signature: sig, Issuer: issuer},
				model.Text{Text: "so", Signature: sig, Issuer: issuer},
				model.Call{ID: "1", ProviderID: "p", Name: "f", Args: []byte("{}"), Signature: sig, Issuer: issuer},
			}},
			{Role: model.User, Parts: []model.Part{model.Result{CallID: "1", ProviderID: "p", Name: "f", Output: "ok"}}},
			{Role: model.Model, Parts: []model.Part{model.Text{Signature: sig, Issuer: issuer}}},
		}
	}
	stripped := []model.Message{
		{Role: model.User, Parts: []model.Part{model.Text{Text: "go"}}},
		{Role: model.Model, Parts: []model.Part{
			model.Text{Text: "so"},
			model.Call{ID: "1", Name: "f", Args: []byte("{}")},
		}},
		{Role: model.User, Parts: []model.Part{model.Result{CallID: "1", Name: "f", Output: "ok"}}},
	}
	for i := range stripped[1].Parts { // the issuer itself is not removed, and means nothing without marks
		switch p := stripped[1].Parts[i].(type) {
		case model.Text:
			p.Issuer = "b"
			stripped[1].Parts[i] = p
		case model.Call:
			p.Issuer = "b"
			stripped[1].Parts[i] = p
		}
	}
	for _, tt := range []struct {
		name, issuer string
		also         []string
		want         []model.Message
	}{
		{"its own", "a", nil, conversation("a")},
		{"another's", "b", nil, stripped},
		{"of a session from before", "", []string{""}, conversation("")},
		{"of a provider whose marks it accepts", "c", []string{"c"}, conversation("c")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &modeltest.Script{Lenient: true, Replies: []modeltest.Reply{{modeltest.Say("done")}}}
			for _, err := range model.Issued(s, "a", tt.also...).Stream(t.Context(), model.Request{Messages: conversation(tt.issuer)}) {
				if err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(tt.want, s.Requests()[0].Messages); d != "" {
				t.Errorf("sent other messages (-want +got):\n%s", d)
			}
		})
	}
}

func TestIssuerIsNoted(t *testing.T) {
	sig := []byte("s")
	s := &modeltest.Script{Lenient: true, Replies: []modeltest.Reply{{
		modeltest.Part(model.Thought{Text: "hm"}), modeltest.Part(model.Thought{Signature: sig}), modeltest.Part(model.Text{Text: "so"}),
		modeltest.Part(model.Text{Text: "it is", Signature: sig}), modeltest.Part(model.Call{ID: "1", ProviderID: "p", Name: "f", Args: []byte("{}")}),
	}}}
	var got []model.Part
	for c, err := range model.Issued(s, "a").Stream(t.Context(), model.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, c.Parts...)
	}
	want := []model.Part{
		model.Thought{Text: "hm"},
		model.Thought{Signature: sig, Issuer: "a"},
		model.Text{Text: "so"},
		model.Text{Text: "it is", Signature: sig, Issuer: "a"},
		model.Call{ID: "1", ProviderID: "p", Name: "f", Args: []byte("{}"), Issuer: "a"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("got other parts (-want +got):\n%s", d)
	}
}
