package telemetry_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/telemetry"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/redact"
)

// world is an observer whose telemetry stays here.
type world struct {
	*telemetry.Observer
	spans  *tracetest.InMemoryExporter
	meters *sdkmetric.ManualReader
	t      *testing.T
}

func newWorld(t *testing.T, prompts bool) world {
	t.Helper()
	w := world{spans: tracetest.NewInMemoryExporter(), meters: sdkmetric.NewManualReader(), t: t}
	var err error
	w.Observer, err = telemetry.New(telemetry.Options{
		Tracers: sdktrace.NewTracerProvider(sdktrace.WithSyncer(w.spans)), Meters: sdkmetric.NewMeterProvider(sdkmetric.WithReader(w.meters)),
		Prompts: prompts, Secrets: redact.New(redact.Secret{Name: "secret", Value: "open sesame"}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func at(second float64) time.Time {
	return time.Unix(1000, 0).Add(time.Duration(second * float64(time.Second)))
}

// play plays a turn of two steps: a request that fails and is repeated, a call that runs
// and one that is denied, and the answer.
func (w world) play() {
	ask := func(from, to float64, err error) {
		a := state.Attempt{Model: "gemini-x", Began: at(from), Ended: at(to), Err: err}
		if err == nil {
			a.First, a.Finish, a.Usage = at(from+0.5), model.Stop, model.Usage{Input: 100, Output: 10}
		}
		w.Attempt("s", "t", a)
	}
	w.Event("s", "t", at(0), transcript.UserChunk{MessageID: "u", Block: transcript.Block{Type: transcript.TextBlock, Text: "my open sesame"}})
	ask(1, 2, &model.Error{Kind: model.Unavailable})
	w.Event("s", "t", at(2), transcript.Notice{Code: transcript.NoticeRetry})
	ask(3, 5, nil)
	w.Event("s", "t", at(5), transcript.ToolCall{CallID: "c1", Name: "read_file"})
	w.Event("s", "t", at(5), transcript.ToolCall{CallID: "c2", Name: "run_shell_command"})
	w.Event("s", "t", at(5), transcript.ResponseFinished{})
	w.Event("s", "t", at(6), transcript.ToolUpdate{CallID: "c1", State: transcript.Success})
	w.Event("s", "t", at(7), transcript.ToolUpdate{CallID: "c2", State: transcript.Failure, ErrorType: "policy", Rule: "mine"})
	ask(8, 9, nil)
	w.Event("s", "t", at(9), transcript.ResponseFinished{})
	w.Event("s", "t", at(9), transcript.Decisions{Hunks: []transcript.HunkState{{State: "accepted"}, {State: "rejected"}}})
	end := transcript.TurnEnded{StopReason: transcript.EndTurn, DurationMS: 10_000}
	end.Usage.Cost = 0.25
	w.Event("s", "t", at(10), end)
}

func TestATurnIsATrace(t *testing.T) {
	w := newWorld(t, false)
	w.play()
	spans := w.spans.GetSpans()
	names := map[string]string{}
	for _, s := range spans {
		names[s.SpanContext.SpanID().String()] = s.Name
	}
	var got []string
	for _, s := range spans {
		got = append(got, fmt.Sprintf("%s < %s %v-%v %s", s.Name, names[s.Parent.SpanID().String()], s.StartTime.Sub(at(0)), s.EndTime.Sub(at(0)), s.Status.Code))
		if s.SpanContext.TraceID() != spans[0].SpanContext.TraceID() {
			t.Errorf("%s is in another trace", s.Name)
		}
	}
	want := []string{
		"chat gemini-x < step 1s-2s Error",
		"chat gemini-x < step 3s-5s Unset",
		"execute_tool read_file < step 5s-6s Unset",
		"execute_tool run_shell_command < step 5s-7s Error",
		"step < invoke_agent emendo 1s-7s Unset",
		"chat gemini-x < step 8s-9s Unset",
		"step < invoke_agent emendo 8s-9s Unset",
		"invoke_agent emendo <  0s-10s Unset",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPromptsAreSentOnlyIfAskedFor(t *testing.T) {
	for _, prompts := range []bool{false, true} {
		w := newWorld(t, prompts)
		w.play()
		var said []string
		for _, s := range w.spans.GetSpans() {
			for _, e := range s.Events {
				for _, a := range e.Attributes {
					said = append(said, a.Value.AsString())
				}
			}
			for _, a := range s.Attributes {
				if strings.Contains(a.Value.String(), "sesame") {
					t.Errorf("the attribute %s of %s has the prompt", a.Key, s.Name)
				}
			}
		}
		if want := []string{"my [secret]"}; prompts != slices.Equal(said, want) || !prompts && len(said) > 0 {
			t.Errorf("with prompts %v: texts %q", prompts, said)
		}
	}
}

func TestRequestsCallsAndVerdictsAreMeasured(t *testing.T) {
	w := newWorld(t, false)
	w.play()
	var all metricdata.ResourceMetrics
	if err := w.meters.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range all.ScopeMetrics {
		for _, m := range s.Metrics {
			var points []string
			switch d := m.Data.(type) {
			case metricdata.Histogram[int64]:
				for _, p := range d.DataPoints {
					points = append(points, fmt.Sprintf("%s%d in %d", short(p.Attributes), p.Sum, p.Count))
				}
			case metricdata.Histogram[float64]:
				for _, p := range d.DataPoints {
					points = append(points, fmt.Sprintf("%s%g in %d", short(p.Attributes), p.Sum, p.Count))
				}
			case metricdata.Sum[int64]:
				for _, p := range d.DataPoints {
					points = append(points, fmt.Sprintf("%s%d", short(p.Attributes), p.Value))
				}
			case metricdata.Sum[float64]:
				for _, p := range d.DataPoints {
					points = append(points, fmt.Sprintf("%s%g", short(p.Attributes), p.Value))
				}
			}
			slices.Sort(points)
			got[m.Name] = strings.Join(points, ", ")
		}
	}
	want := map[string]string{
		"gen_ai.client.token.usage":        "input: 200 in 2, output: 20 in 2",
		"gen_ai.client.operation.duration": "3 in 2, unavailable: 1 in 1",
		"emendo.request.first_chunk":       "1 in 2",
		"emendo.turn.duration":             "end_turn: 10 in 1",
		"emendo.cost":                      "0.25",
		"emendo.tool.calls":                "error run_shell_command: 1, success read_file: 1",
		"emendo.tool.duration":             "error run_shell_command: 2 in 1, success read_file: 1 in 1",
		"emendo.hunks":                     "accepted: 1, rejected: 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// short returns the attributes that tell points apart in these tests.
func short(s attribute.Set) string {
	var parts []string
	for _, key := range []attribute.Key{"gen_ai.token.type", "error.type", "emendo.stop_reason", "emendo.call.state", "gen_ai.tool.name", "emendo.hunk.state"} {
		if v, ok := s.Value(key); ok {
			parts = append(parts, v.AsString())
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " ") + ": "
}
