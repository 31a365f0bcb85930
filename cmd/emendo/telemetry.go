package main

import (
	"context"
	"fmt"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/cmd/emendo/otlp"
)

// observer starts the export of telemetry; nil if the user wants none. It lasts until
// [endTelemetry].
func (w wiring) observer() (state.Observer, error) {
	t := w.settings.Telemetry
	if !t.Enabled || t.Target == "gcp" {
		return nil, nil //nolint:nilnil // nobody observes
	}
	x, err := otlp.Start(context.Background(), otlp.Options{
		Endpoint: t.Endpoint, Protocol: t.Protocol, Traces: t.Traces, Prompts: t.LogPrompts,
		Secrets: w.process.secrets, Version: version, Log: w.log,
	})
	if err != nil {
		return nil, exit{exitConfig, fmt.Errorf("start telemetry: %w", err)}
	}
	return x, nil
}

// endTelemetry sends what is left of an agent's telemetry.
func endTelemetry(a *agent.Agent) {
	if x, ok := a.Process.Options.Observer.(*otlp.Exporter); ok {
		x.Close()
	}
}
