package model_test

import (
	"context"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
)

// listener is a generator that records what it is asked, and counts messages.
type listener struct{ asked []model.Request }

func (h *listener) Stream(_ context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		h.asked = append(h.asked, req)
		yield(model.Chunk{Finish: model.Stop}, nil)
	}
}

func (h *listener) CountTokens(_ context.Context, req model.Request) (int64, error) {
	h.asked = append(h.asked, req)
	return int64(len(req.Messages)), nil
}

func TestPicturesBecomeNotes(t *testing.T) {
	png, pdf := model.Blob{MIME: "image/png", Data: []byte{1}}, model.Blob{MIME: "application/pdf", Data: []byte{2}}
	note := "[a picture of the type image/png is left out: this model cannot see pictures]"
	history := []model.Message{
		{Role: model.User, Parts: []model.Part{model.Text{Text: "look"}, png, pdf}},
		{Role: model.Model, Parts: []model.Part{model.Call{ID: "a", Name: "read"}}},
		{Role: model.User, Parts: []model.Part{
			model.Result{CallID: "a", Name: "read", Output: "read it", Blobs: []model.Blob{pdf, png}},
			model.Result{CallID: "b", Name: "read", Blobs: []model.Blob{png}},
		}},
	}
	replaced := []model.Message{
		{Role: model.User, Parts: []model.Part{model.Text{Text: "look"}, model.Text{Text: note, Given: true}, pdf}},
		history[1],
		{Role: model.User, Parts: []model.Part{
			model.Result{CallID: "a", Name: "read", Output: "read it\n\n" + note, Blobs: []model.Blob{pdf}},
			model.Result{CallID: "b", Name: "read", Output: note},
		}},
	}
	for _, tt := range []struct {
		name     string
		sees     *bool
		messages []model.Message
		want     []model.Message
		unseen   int
	}{
		{"a model that sees", new(true), history, history, 0},
		{"one of which nothing is known", nil, history, history, 0},
		{"one that does not see", new(false), history, replaced, 3},
		{"one that does not see, and nothing to see", new(false), history[1:2], history[1:2], 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := &listener{}
			g := model.Seeing(h, func(string) *bool { return tt.sees })
			req := model.Request{Messages: tt.messages}
			unseen := 0
			for c := range g.Stream(t.Context(), req) {
				if c.Unsent != nil {
					unseen += c.Unsent.Pictures
				}
			}
			counter, ok := model.As[model.Counter](g)
			if !ok {
				t.Fatal("it does not count any more")
			}
			if _, err := counter.CountTokens(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			for i, asked := range h.asked { // for the answer, and for the count
				if d := cmp.Diff(tt.want, asked.Messages); d != "" || unseen != tt.unseen {
					t.Errorf("request %d: %d are unseen (-want +got):\n%s", i, unseen, d)
				}
			}
		})
	}
	if _, ok := model.As[model.Counter](model.Seeing(struct{ model.Generator }{}, nil)); ok {
		t.Error("a generator that cannot count is said to")
	}
}
