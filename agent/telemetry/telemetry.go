// Package telemetry turns what happens in sessions into traces and metrics of
// OpenTelemetry, with the names of its conventions for generative AI where they have one.
// It knows no exporter. Texts are left out, except for prompts where they are asked for.
//
// A turn is a span, with a span for each of its steps, which has spans for its requests
// and its calls. They are made from the events of the session, so that there is no second
// account of what a turn is.
package telemetry

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/redact"
)

// scope names the instrumentation.
const scope = "github.com/emendo-dev/emendo"

// Options of an [Observer].
type Options struct {
	Tracers trace.TracerProvider
	Meters  metric.MeterProvider
	// Prompts records the texts of the user's prompts, as events of their turns.
	Prompts bool
	Secrets *redact.Redactor // kept out of such texts; nil: only those that look like one
}

// Observer implements [state.Observer].
type Observer struct {
	tracer  trace.Tracer
	metrics instruments
	prompts bool
	secrets *redact.Redactor

	mu    sync.Mutex
	turns map[string]*turn // those that run, by their IDs
}

// turn is a turn that runs.
type turn struct {
	span  trace.Span
	ctx   context.Context // of the span
	step  *step           // nil between steps
	steps int
	last  time.Time // when the last step ended, else when the turn began
	calls map[string]*call
}

// step is a request with its answer, and the calls in that.
type step struct {
	span     trace.Span
	ctx      context.Context
	answered bool
	open     int // calls
}

// call is a call that has not ended.
type call struct {
	span  trace.Span
	ctx   context.Context
	name  string
	began time.Time
	own   bool // of the step, not of a subagent
}

// New returns an observer. An instrument that cannot be made is an error.
func New(o Options) (*Observer, error) {
	m, err := newInstruments(o.Meters.Meter(scope))
	if err != nil {
		return nil, err
	}
	return &Observer{tracer: o.Tracers.Tracer(scope), metrics: m, prompts: o.Prompts, secrets: o.Secrets, turns: map[string]*turn{}}, nil
}

// Event implements [state.Observer].
func (o *Observer) Event(sessionID, turnID string, at time.Time, e transcript.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch e := e.(type) { //nolint:gochecksumtype // the others are not measured
	case transcript.UserChunk:
		t := o.turn(sessionID, turnID, at)
		if o.prompts && e.Block.Text != "" {
			t.span.AddEvent("gen_ai.user.message", trace.WithTimestamp(at), trace.WithAttributes(attribute.String("content", o.secrets.Text(e.Block.Text))))
		}
	case transcript.ToolCall:
		o.begin(o.turn(sessionID, turnID, at), at, e)
	case transcript.ToolUpdate:
		if t := o.turns[turnID]; t != nil && e.Over() {
			o.end(t, at, e)
		}
	case transcript.ResponseFinished:
		t := o.turn(sessionID, turnID, at)
		s := o.stepOf(t, at)
		s.answered = true
		s.finish(t, at)
	case transcript.Notice:
		if e.Code == transcript.NoticeRetry || e.Code == transcript.NoticeModelFallback {
			o.turn(sessionID, turnID, at).span.AddEvent(string(e.Code), trace.WithTimestamp(at))
		}
	case transcript.Decisions:
		o.metrics.decided(e)
	case transcript.TurnEnded:
		o.endTurn(sessionID, turnID, at, e)
	}
}

// Attempt implements [state.Observer].
func (o *Observer) Attempt(sessionID, turnID string, a state.Attempt) {
	provider := providerOf(a.Provider)
	attrs := []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.provider.name", provider), attribute.String("gen_ai.request.model", a.Model),
	}
	failed := failure(a.Err)
	o.metrics.asked(a, attrs, failed)
	o.mu.Lock()
	defer o.mu.Unlock()
	parent := context.Background()
	if turnID != "" {
		t := o.turn(sessionID, turnID, a.Began)
		parent = o.stepOf(t, a.Began).ctx
	}
	_, span := o.tracer.Start(parent, "chat "+a.Model, trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(a.Began), trace.WithAttributes(attrs...))
	span.SetAttributes(attribute.String("gen_ai.conversation.id", sessionID), attribute.Int64("gen_ai.usage.input_tokens", a.Usage.Input), attribute.Int64("gen_ai.usage.output_tokens", a.Usage.Output))
	if a.Finish != "" {
		span.SetAttributes(attribute.StringSlice("gen_ai.response.finish_reasons", []string{string(a.Finish)}))
	}
	if !a.First.IsZero() {
		span.AddEvent("first_chunk", trace.WithTimestamp(a.First))
	}
	if failed != "" {
		span.SetAttributes(attribute.String("error.type", failed))
		span.SetStatus(codes.Error, failed)
	}
	span.End(trace.WithTimestamp(a.Ended))
}

// turn returns a turn that runs, which begins at the latest now.
func (o *Observer) turn(sessionID, turnID string, at time.Time) *turn {
	t := o.turns[turnID]
	if t == nil {
		t = &turn{last: at, calls: map[string]*call{}}
		t.ctx, t.span = o.tracer.Start(context.Background(), "invoke_agent emendo", trace.WithTimestamp(at), trace.WithAttributes(
			attribute.String("gen_ai.operation.name", "invoke_agent"), attribute.String("gen_ai.agent.name", "emendo"),
			attribute.String("gen_ai.conversation.id", sessionID), attribute.String("emendo.turn.id", turnID),
		))
		o.turns[turnID] = t
	}
	return t
}

// stepOf returns the step that runs, which begins where the last one ended.
func (o *Observer) stepOf(t *turn, at time.Time) *step {
	if t.step == nil {
		if at.Before(t.last) {
			at = t.last
		}
		t.steps++
		t.step = &step{}
		t.step.ctx, t.step.span = o.tracer.Start(t.ctx, "step", trace.WithTimestamp(at), trace.WithAttributes(attribute.Int("emendo.step", t.steps)))
	}
	return t.step
}

// finish ends a step whose answer and calls have ended.
func (s *step) finish(t *turn, at time.Time) {
	if s.answered && s.open == 0 {
		s.span.End(trace.WithTimestamp(at))
		t.step, t.last = nil, at
	}
}

func (o *Observer) begin(t *turn, at time.Time, e transcript.ToolCall) {
	parent, own := o.stepOf(t, at).ctx, true
	if p := t.calls[e.Parent]; p != nil {
		parent, own = p.ctx, false
	}
	c := &call{name: e.Name, began: at, own: own}
	c.ctx, c.span = o.tracer.Start(parent, "execute_tool "+e.Name, trace.WithTimestamp(at), trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", e.Name), attribute.String("gen_ai.tool.call.id", e.CallID),
	))
	if own {
		t.step.open++
	}
	t.calls[e.CallID] = c
}

func (o *Observer) end(t *turn, at time.Time, e transcript.ToolUpdate) {
	c := t.calls[e.CallID]
	if c == nil {
		return
	}
	delete(t.calls, e.CallID)
	c.span.SetAttributes(attribute.String("emendo.call.state", string(e.State)))
	if e.Rule != "" {
		c.span.SetAttributes(attribute.String("emendo.rule", e.Rule))
	}
	if e.State == transcript.Failure {
		c.span.SetAttributes(attribute.String("error.type", string(e.ErrorType)))
		c.span.SetStatus(codes.Error, string(e.ErrorType))
	}
	c.span.End(trace.WithTimestamp(at))
	o.metrics.called(c.name, e, at.Sub(c.began))
	if c.own && t.step != nil {
		t.step.open--
		t.step.finish(t, at)
	}
}

func (o *Observer) endTurn(sessionID, turnID string, at time.Time, e transcript.TurnEnded) {
	t := o.turn(sessionID, turnID, at)
	for _, c := range t.calls {
		c.span.End(trace.WithTimestamp(at))
	}
	if t.step != nil {
		t.step.span.End(trace.WithTimestamp(at))
	}
	t.span.SetAttributes(
		attribute.String("emendo.stop_reason", string(e.StopReason)), attribute.Int("emendo.steps", t.steps),
		attribute.Int64("gen_ai.usage.input_tokens", e.Usage.Input), attribute.Int64("gen_ai.usage.output_tokens", e.Usage.Output),
	)
	if e.StopReason == transcript.StopError {
		t.span.SetStatus(codes.Error, string(e.StopReason))
	}
	t.span.End(trace.WithTimestamp(at))
	delete(o.turns, turnID)
	o.metrics.ended(e)
}

// failure returns the class of an error; "" for none.
func failure(err error) string {
	var e *model.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return string(e.Kind)
	case errors.Is(err, context.Canceled) || errors.Is(err, transcript.ErrCancelled):
		return "cancelled"
	}
	return "_OTHER"
}

// providerOf returns the conventions' name of a provider.
func providerOf(name string) string {
	switch name {
	case "":
		return "gcp.gemini"
	case "vertex":
		return "gcp.vertex_ai"
	}
	return strings.ToLower(name)
}
