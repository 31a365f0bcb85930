package telemetry

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// instruments are what is measured.
type instruments struct {
	tokens   metric.Int64Histogram   // of a request, by type
	request  metric.Float64Histogram // seconds of a request
	first    metric.Float64Histogram // seconds until its first chunk
	turns    metric.Float64Histogram // seconds of a turn
	cost     metric.Float64Counter   // US dollars, as far as prices are known
	calls    metric.Int64Counter     // of tools
	call     metric.Float64Histogram // seconds of a call, the user's answers included
	verdicts metric.Int64Counter     // of hunks
}

func newInstruments(m metric.Meter) (i instruments, err error) {
	var errs []error
	histogram := func(name, unit, text string) metric.Float64Histogram {
		h, err := m.Float64Histogram(name, metric.WithUnit(unit), metric.WithDescription(text))
		errs = append(errs, err)
		return h
	}
	counter := func(name, unit, text string) metric.Int64Counter {
		c, err := m.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(text))
		errs = append(errs, err)
		return c
	}
	i.tokens, err = m.Int64Histogram("gen_ai.client.token.usage", metric.WithUnit("{token}"), metric.WithDescription("Tokens of a request and its answer."))
	errs = append(errs, err)
	i.cost, err = m.Float64Counter("emendo.cost", metric.WithUnit("{USD}"), metric.WithDescription("Estimated cost of turns, as far as prices are known."))
	errs = append(errs, err)
	i.request = histogram("gen_ai.client.operation.duration", "s", "Duration of a request to a model.")
	i.first = histogram("emendo.request.first_chunk", "s", "Time until the first chunk of an answer.")
	i.turns = histogram("emendo.turn.duration", "s", "Duration of a turn.")
	i.call = histogram("emendo.tool.duration", "s", "Duration of a tool call, the user's answers included.")
	i.calls = counter("emendo.tool.calls", "{call}", "Tool calls that have ended, by state.")
	i.verdicts = counter("emendo.hunks", "{hunk}", "Hunks that were decided, by state.")
	return i, errors.Join(errs...)
}

// asked measures a request that ended.
func (i instruments) asked(a state.Attempt, attrs []attribute.KeyValue, failed string) {
	ctx, all := context.Background(), slices.Clone(attrs)
	if failed != "" {
		all = append(all, attribute.String("error.type", failed))
	}
	i.request.Record(ctx, a.Ended.Sub(a.Began).Seconds(), metric.WithAttributes(all...))
	if !a.First.IsZero() {
		i.first.Record(ctx, a.First.Sub(a.Began).Seconds(), metric.WithAttributes(attrs...))
	}
	for kind, n := range map[string]int64{"input": a.Usage.Input, "output": a.Usage.Output, "cached": a.Usage.Cached, "thought": a.Usage.Thought} {
		if n > 0 {
			i.tokens.Record(ctx, n, metric.WithAttributes(append(slices.Clone(attrs), attribute.String("gen_ai.token.type", kind))...))
		}
	}
}

// called measures a call that ended.
func (i instruments) called(tool string, e transcript.ToolUpdate, took time.Duration) {
	attrs := metric.WithAttributes(attribute.String("gen_ai.tool.name", tool), attribute.String("emendo.call.state", string(e.State)), attribute.Bool("emendo.denied", e.Rule != ""))
	i.calls.Add(context.Background(), 1, attrs)
	i.call.Record(context.Background(), took.Seconds(), attrs)
}

// decided counts verdicts about hunks.
func (i instruments) decided(e transcript.Decisions) {
	for _, h := range e.Hunks {
		i.verdicts.Add(context.Background(), 1, metric.WithAttributes(attribute.String("emendo.hunk.state", h.State), attribute.Bool("emendo.hunk.edited", h.Edited)))
	}
}

// ended measures a turn.
func (i instruments) ended(e transcript.TurnEnded) {
	i.turns.Record(context.Background(), float64(e.DurationMS)/1000, metric.WithAttributes(attribute.String("emendo.stop_reason", string(e.StopReason))))
	if e.Usage.Cost > 0 {
		i.cost.Add(context.Background(), e.Usage.Cost)
	}
}
