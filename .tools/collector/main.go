// Command collector receives telemetry by OTLP with OpenTelemetry's own receiver and
// prints the names of what it received, a line each: "span NAME" and "metric NAME". Its
// first line is "ready". It ends when its standard input does.
//
//	collector GRPC-ADDRESS HTTP-ADDRESS
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, grpc, http string) error {
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	if err := confmap.NewFromStringMap(map[string]any{"protocols": map[string]any{
		"grpc": map[string]any{"endpoint": grpc}, "http": map[string]any{"endpoint": http},
	}}).Unmarshal(config); err != nil {
		return err
	}
	var mu sync.Mutex
	say := func(kind, name string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(kind, name)
	}
	traces, err := consumer.NewTraces(func(_ context.Context, t ptrace.Traces) error {
		for _, of := range t.ResourceSpans().All() {
			for _, in := range of.ScopeSpans().All() {
				for _, s := range in.Spans().All() {
					say("span", s.Name())
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	metrics, err := consumer.NewMetrics(func(_ context.Context, m pmetric.Metrics) error {
		for _, of := range m.ResourceMetrics().All() {
			for _, in := range of.ScopeMetrics().All() {
				for _, s := range in.Metrics().All() {
					say("metric", s.Name())
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	of := receivertest.NewNopSettings(factory.Type())
	first, err := factory.CreateTraces(ctx, of, config, traces)
	if err != nil {
		return err
	}
	second, err := factory.CreateMetrics(ctx, of, config, metrics) // shares the servers of the first
	if err != nil {
		return err
	}
	host := componenttest.NewNopHost()
	if err := first.Start(ctx, host); err != nil {
		return err
	}
	if err := second.Start(ctx, host); err != nil {
		return err
	}
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
