package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	metricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// collector receives telemetry over HTTP.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	spans   []string
	metrics []string
	all     strings.Builder // everything that was received, readable
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if err := c.receive(r); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) receive(r *http.Request) error {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		if err != nil {
			return err
		}
		body = z
	}
	b, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r.URL.Path {
	case "/v1/traces":
		var m tracepb.ExportTraceServiceRequest
		if err := proto.Unmarshal(b, &m); err != nil {
			return err
		}
		fmt.Fprintln(&c.all, &m)
		for _, of := range m.GetResourceSpans() {
			for _, in := range of.GetScopeSpans() {
				for _, s := range in.GetSpans() {
					c.spans = append(c.spans, s.GetName())
				}
			}
		}
	case "/v1/metrics":
		var m metricspb.ExportMetricsServiceRequest
		if err := proto.Unmarshal(b, &m); err != nil {
			return err
		}
		fmt.Fprintln(&c.all, &m)
		for _, of := range m.GetResourceMetrics() {
			for _, in := range of.GetScopeMetrics() {
				for _, s := range in.GetMetrics() {
					c.metrics = append(c.metrics, s.GetName())
				}
			}
		}
	default:
		return fmt.Errorf("unexpected request for %s", r.URL.Path)
	}
	return nil
}

func TestARunIsATraceAtTheCollector(t *testing.T) {
	c := newCollector(t)
	w := newWorld(t, geminitest.Do(geminitest.Call("glob", `{"pattern": "*"}`)), geminitest.Say("The answer."))
	w.put(filepath.Join(w.home, "config", "settings.json"), `{"telemetry": {"enabled": true, "otlpProtocol": "http", "otlpEndpoint": "`+c.URL+`"}}`)
	w.run("-p", "What is the question?").wantCode(t, 0)
	slices.Sort(c.spans)
	if diff := cmp.Diff([]string{"execute_tool glob", "invoke_agent emendo", "step", "step"}, slices.DeleteFunc(c.spans, func(s string) bool { return strings.HasPrefix(s, "chat gemini-") })); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"gen_ai.client.token.usage", "gen_ai.client.operation.duration", "emendo.turn.duration", "emendo.tool.calls"} {
		if !slices.Contains(c.metrics, name) {
			t.Errorf("%s is missing in %q", name, c.metrics)
		}
	}
	for _, text := range []string{"the question", "The answer", w.model.Key} {
		if strings.Contains(c.all.String(), text) {
			t.Errorf("%q was sent", text)
		}
	}
}

func TestNoTelemetryLeavesUnasked(t *testing.T) {
	for name, config := range map[string]string{
		"by default":             `{}`,
		"switched off":           `{"telemetry": {"enabled": false, "otlpProtocol": "http", "otlpEndpoint": "URL"}}`,
		"for a target unknown":   `{"telemetry": {"enabled": true, "target": "gcp", "otlpProtocol": "http", "otlpEndpoint": "URL"}}`,
		"by a project's setting": ``,
	} {
		t.Run(name, func(t *testing.T) {
			c := newCollector(t)
			w := newWorld(t, geminitest.Say("Yes."))
			w.env = append(w.env, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL)
			place := filepath.Join(w.home, "config", "settings.json")
			if config == "" {
				place, config = filepath.Join(w.dir, ".emendo", "settings.json"), `{"telemetry": {"enabled": true, "otlpProtocol": "http", "otlpEndpoint": "URL"}}`
			}
			w.put(place, strings.ReplaceAll(config, "URL", c.URL))
			w.run("-p", "hi").wantCode(t, 0)
			if c.all.Len() > 0 {
				t.Errorf("it was sent %s", c.all.String())
			}
		})
	}
}

func TestACollectorThatIsAwayDoesNoHarm(t *testing.T) {
	c := newCollector(t)
	c.Close()
	for _, protocol := range []string{"http", "grpc"} {
		w := newWorld(t, geminitest.Say("Yes."))
		w.put(filepath.Join(w.home, "config", "settings.json"), `{"telemetry": {"enabled": true, "otlpProtocol": "`+protocol+`", "otlpEndpoint": "`+c.URL+`"}}`)
		r := w.run("-p", "hi")
		r.wantCode(t, 0)
		if r.stdout != "Yes.\n" || r.stderr != "" {
			t.Errorf("%s: it printed %q and %q", protocol, r.stdout, r.stderr)
		}
	}
}
