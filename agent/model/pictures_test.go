package model_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"iter"
	"strings"
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
	png, pdf := tinyPNG(t), model.Blob{MIME: "application/pdf", Data: []byte("%PDF-1.7 …")}
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

// tinyPNG returns a picture of one pixel.
func tinyPNG(t *testing.T) model.Blob {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	return model.Blob{MIME: "image/png", Data: b.Bytes()}
}

// taking is a provider that takes some types.
type taking struct {
	*listener
	types []string
}

func (g taking) Takes(string) []string { return g.types }

// What a provider would refuse the request for does not get there.
func TestAttachmentsAreCheckedBeforeTheyAreSent(t *testing.T) {
	whole := tinyPNG(t)
	var moving bytes.Buffer
	if err := gif.Encode(&moving, image.NewPaletted(image.Rect(0, 0, 2, 2), color.Palette{color.Black, color.White}), nil); err != nil {
		t.Fatal(err)
	}
	all := []string(nil)
	for name, tt := range map[string]struct {
		blob  model.Blob
		types []string
		mime  string // of what is sent; empty: nothing is
		says  string // the text in its place
	}{
		"a whole picture":                 {whole, all, "image/png", ""},
		"a cut one":                       {model.Blob{MIME: "image/png", Data: whole.Data[:40]}, all, "", "is left out: it is damaged or not complete"},
		"a cut header":                    {model.Blob{MIME: "image/png", Data: whole.Data[:12]}, all, "", "is left out: it is damaged or not complete"},
		"a text that is said to be one":   {model.Blob{MIME: "image/png", Data: []byte("no picture")}, all, "", "is left out: it is no picture"},
		"one of another type":             {model.Blob{MIME: "image/jpeg", Data: whole.Data}, all, "image/png", ""},
		"a PDF file that is none":         {model.Blob{MIME: "application/pdf", Data: []byte("<html>")}, all, "", "is left out: it is no PDF file"},
		"a type that is taken":            {model.Blob{MIME: "image/GIF", Data: moving.Bytes()}, []string{"image/gif"}, "image/GIF", ""},
		"a type that is not taken":        {model.Blob{MIME: "image/gif", Data: moving.Bytes()}, []string{"image/png"}, "image/png", ""},
		"a file that is not taken":        {model.Blob{MIME: "application/pdf", Data: []byte("%PDF-1.7")}, []string{"image/*"}, "", "is left out: this model does not read this type"},
		"a text that is not taken":        {model.Blob{MIME: "application/json; charset=utf-8", Data: []byte("{}")}, []string{"image/*"}, "", "{}"},
		"a drawing that is a text":        {model.Blob{MIME: "image/svg+xml", Data: []byte("<svg/>")}, []string{"image/png"}, "", "<svg/>"},
		"a sound, and nothing is known":   {model.Blob{MIME: "audio/ogg", Data: []byte("OggS")}, all, "audio/ogg", ""},
		"a sound that all of are taken":   {model.Blob{MIME: "audio/ogg", Data: []byte("OggS")}, []string{"audio/*"}, "audio/ogg", ""},
		"a picture that cannot be tested": {model.Blob{MIME: "image/heic", Data: []byte("ftyp")}, all, "image/heic", ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := &listener{}
			var g model.Generator = h
			if tt.types != nil {
				g = taking{h, tt.types}
			}
			told := 0
			g = model.Seeing(g, func(string) *bool { return nil })
			for c := range g.Stream(t.Context(), model.Request{Messages: []model.Message{{Role: model.User, Parts: []model.Part{tt.blob}}}}) {
				if c.Unsent != nil {
					told += c.Unsent.Pictures + c.Unsent.Files
				}
			}
			mime, says := "", ""
			switch p := h.asked[0].Messages[0].Parts[0].(type) {
			case model.Blob:
				mime = p.MIME
			case model.Text:
				says = p.Text
			}
			if mime != tt.mime || !strings.Contains(says, tt.says) || (told > 0) != strings.Contains(says, "is left out") {
				t.Errorf("sent %q, or %q; the user is told of %d", mime, says, told)
			}
		})
	}
}
