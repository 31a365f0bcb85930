// Package otlp sends telemetry to a collector, by the official SDK of OpenTelemetry. It
// knows how telemetry leaves, and not what it consists of. Nothing of it runs before
// [Start]: no goroutine, no connection.
package otlp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/emendo-dev/emendo/agent/telemetry"
	"github.com/emendo-dev/emendo/internal/redact"
)

// The protocols of [Options].
const (
	GRPC = "grpc"
	HTTP = "http"
)

// Options say where telemetry goes, and what of it.
type Options struct {
	// Endpoint is a URL; without a scheme it is reached without TLS on this machine, and
	// with TLS elsewhere. Over HTTP the signal's own path is added. Empty: the port of
	// the protocol on this machine.
	Endpoint string
	Protocol string           // GRPC or HTTP
	Traces   bool             // metrics are always sent
	Prompts  bool             // the texts of prompts too
	Secrets  *redact.Redactor // kept out of them
	Version  string           // of emendo
	Log      *slog.Logger
}

// lastTime is how long the end of the program waits for a collector. A front
// end has half a second for all that has to end.
const lastTime = 300 * time.Millisecond

// An Exporter sends telemetry until it is closed.
type Exporter struct {
	*telemetry.Observer
	tracers *sdktrace.TracerProvider // nil: no traces
	meters  *sdkmetric.MeterProvider
	log     *slog.Logger
}

// Start begins to export. A collector that does not answer is no error: what it misses is
// dropped, and the log says so.
func Start(ctx context.Context, o Options) (*Exporter, error) {
	to, err := endpoint(o.Endpoint, o.Protocol)
	if err != nil {
		return nil, err
	}
	otel.SetLogger(logr.Discard())
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { o.Log.Warn("telemetry", "err", err) }))
	of := resource.NewSchemaless(attribute.String("service.name", "emendo"), attribute.String("service.version", o.Version))
	e := &Exporter{log: o.Log}
	if e.meters, err = meters(ctx, to, o.Protocol, of); err != nil {
		return nil, err
	}
	t := telemetry.Options{Meters: e.meters, Tracers: noop.NewTracerProvider(), Prompts: o.Prompts, Secrets: o.Secrets}
	if o.Traces {
		if e.tracers, err = tracers(ctx, to, o.Protocol, of); err != nil {
			return nil, errors.Join(err, e.meters.Shutdown(ctx))
		}
		t.Tracers = e.tracers
	}
	if e.Observer, err = telemetry.New(t); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// Close sends what is left, for at most 0.3 seconds, and ends the export.
func (e *Exporter) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), lastTime)
	defer cancel()
	traced := make(chan error, 1)
	go func() { // both at once, since both may have to wait
		if e.tracers == nil {
			traced <- nil
			return
		}
		traced <- e.tracers.Shutdown(ctx)
	}()
	if err := errors.Join(e.meters.Shutdown(ctx), <-traced); err != nil {
		e.log.Warn("the last telemetry was not sent", "err", err)
	}
}

func meters(ctx context.Context, to *url.URL, protocol string, of *resource.Resource) (*sdkmetric.MeterProvider, error) {
	var x sdkmetric.Exporter
	var err error
	if protocol == HTTP {
		x, err = otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(to.JoinPath("v1", "metrics").String()))
	} else {
		x, err = otlpmetricgrpc.New(ctx, otlpmetricgrpc.WithEndpointURL(to.String()))
	}
	if err != nil {
		return nil, fmt.Errorf("telemetry.otlpEndpoint: %w", err)
	}
	return sdkmetric.NewMeterProvider(sdkmetric.WithResource(of), sdkmetric.WithReader(sdkmetric.NewPeriodicReader(x))), nil
}

func tracers(ctx context.Context, to *url.URL, protocol string, of *resource.Resource) (*sdktrace.TracerProvider, error) {
	var x sdktrace.SpanExporter
	var err error
	if protocol == HTTP {
		x, err = otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(to.JoinPath("v1", "traces").String()))
	} else {
		x, err = otlptracegrpc.New(ctx, otlptracegrpc.WithEndpointURL(to.String()))
	}
	if err != nil {
		return nil, fmt.Errorf("telemetry.otlpEndpoint: %w", err)
	}
	return sdktrace.NewTracerProvider(sdktrace.WithResource(of), sdktrace.WithBatcher(x)), nil
}

// endpoint completes an endpoint to a URL.
func endpoint(text, protocol string) (*url.URL, error) {
	if text == "" {
		text = map[string]string{GRPC: "http://localhost:4317", HTTP: "http://localhost:4318"}[protocol]
	}
	if !strings.Contains(text, "://") {
		text = "https://" + text
		if u, err := url.Parse(text); err == nil && isLocal(u.Hostname()) {
			u.Scheme = "http"
			text = u.String()
		}
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("telemetry.otlpEndpoint: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("telemetry.otlpEndpoint: %q is not the address of a collector: write http://HOST:PORT or https://HOST:PORT", text)
	}
	return u, nil
}

func isLocal(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }
