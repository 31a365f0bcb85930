// Package logged writes a record of every request to a model, for all providers
// alike: what was asked of whom, how large it was, how long it took, how it ended and
// what it cost. It writes no text of the conversation unless it is told to.
package logged

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
)

// Options of [New].
type Options struct {
	Provider string
	Log      *slog.Logger
	Text     bool             // write the last message and the answer too
	Now      func() time.Time // nil: time.Now
}

// New returns a generator that logs the requests to g: those that fail at level
// Info, the others at level Debug.
func New(g model.Generator, o Options) model.Generator {
	if o.Now == nil {
		o.Now = time.Now
	}
	return model.With(g, logged{o})
}

type logged struct{ o Options }

// Begin implements [model.Layer].
func (g logged) Begin(ctx context.Context, req *model.Request) (model.Watch, error) {
	return &record{o: g.o, ctx: ctx, req: *req, id: model.NewCallID()[len("call_"):], started: g.o.Now()}, nil
}

// record holds the facts about one request.
type record struct {
	o   Options
	ctx context.Context // of the request
	req model.Request

	id       string
	response string // the provider's ID
	started  time.Time
	first    time.Duration // until the first part; 0: there was none
	parts    int
	calls    int
	size     int // of the answer in bytes
	finish   model.Finish
	word     string
	usage    model.Usage
	err      error
	text     strings.Builder
}

// Chunk implements [model.Watch].
func (r *record) Chunk(c model.Chunk, err error) (model.Chunk, error) {
	if err != nil {
		r.err = err
		return c, err
	}
	if len(c.Parts) > 0 && r.first == 0 {
		r.first = r.o.Now().Sub(r.started)
	}
	for _, p := range c.Parts {
		r.parts++
		r.size += model.Size(p)
		if _, ok := p.(model.Call); ok {
			r.calls++
		}
		if r.o.Text {
			r.text.WriteString(shown(p))
		}
	}
	if c.Usage != nil {
		r.usage = *c.Usage
	}
	if c.Finish != "" {
		r.finish, r.word = c.Finish, c.FinishWord
	}
	if c.ResponseID != "" {
		r.response = c.ResponseID
	}
	return c, nil
}

// End implements [model.Ender]. It logs the record.
func (r *record) End(left bool) error {
	req := r.req
	level := slog.LevelDebug
	attrs := []slog.Attr{
		slog.String("request", r.id), slog.String("provider", r.o.Provider), slog.String("model", req.Model),
		slog.Int("messages", len(req.Messages)), slog.Int("tools", len(req.Tools)), slog.Int("sent", sizeOf(req)), slog.Int("received", r.size),
		slog.Int("calls", r.calls), slog.Duration("first", r.first), slog.Duration("duration", r.o.Now().Sub(r.started)),
		slog.Int64("input", r.usage.Input), slog.Int64("cached", r.usage.Cached), slog.Int64("output", r.usage.Output), slog.Int64("thought", r.usage.Thought),
	}
	if r.response != "" {
		attrs = append(attrs, slog.String("response", r.response))
	}
	how := "finish"
	switch e, ok := errors.AsType[*model.Error](r.err); {
	case ok:
		level = slog.LevelInfo
		attrs = append(attrs, slog.String(how, "error"), slog.String("kind", string(e.Kind)), slog.Int("status", e.Status), slog.String("error", e.Message))
	case r.err != nil:
		attrs = append(attrs, slog.String(how, "cancelled"))
	case left:
		attrs = append(attrs, slog.String(how, "left"))
	default:
		attrs = append(attrs, slog.String(how, string(r.finish)), slog.String("word", r.word))
	}
	if r.o.Text {
		attrs = append(attrs, slog.String("asked", asked(req)), slog.String("answer", r.text.String()))
	}
	r.o.Log.LogAttrs(context.WithoutCancel(r.ctx), level, "model request", attrs...) // a cancelled request is logged too
	return nil
}

// sizeOf returns the size in bytes of what is sent to the model.
func sizeOf(req model.Request) int {
	n := len(req.System)
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			n += model.Size(p)
		}
	}
	return n
}

// asked returns the last message.
func asked(req model.Request) string {
	if len(req.Messages) == 0 {
		return ""
	}
	var b strings.Builder
	for _, p := range req.Messages[len(req.Messages)-1].Parts {
		b.WriteString(shown(p))
	}
	return b.String()
}

// shown returns a part as text.
func shown(p model.Part) string {
	switch p := p.(type) {
	case model.Text:
		return p.Text
	case model.Thought:
		return ""
	case model.Blob:
		return "(" + p.MIME + ")"
	case model.Call:
		return "\n" + p.Name + string(p.Args) + "\n"
	case model.Result:
		return "\n" + p.Name + ": " + p.Output + "\n"
	}
	panic("logged: unknown part")
}
