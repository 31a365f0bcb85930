package settings

// Telemetry says what is sent to the user's OpenTelemetry collector.
type Telemetry struct {
	// Send traces and metrics of turns, steps, calls and requests to an OpenTelemetry collector of
	// yours. Without it nothing is sent. See [telemetry.md](telemetry.md).
	Enabled bool
	// Send traces, not only metrics.
	Traces bool `default:"true"`
	// Send the texts of prompts too.
	LogPrompts bool
	// The address of the collector, such as `http://localhost:4318`; empty means the usual port of
	// the protocol on this machine.
	Endpoint string `key:"telemetry.otlpEndpoint"`
	// How the collector is spoken to.
	Protocol string `key:"telemetry.otlpProtocol" default:"grpc" values:"grpc http"`
	// Where Gemini CLI sends its telemetry. emendo only knows `local`, which stands for any
	// collector; with `gcp` it sends nothing, and says so.
	Target TelemetryTarget `default:"local" values:"local gcp"`
}

// TelemetryTarget is where Gemini CLI sends its telemetry.
type TelemetryTarget string

func (t TelemetryTarget) doubt(string) string {
	if t == "gcp" {
		return `emendo cannot send to Google Cloud, and sends no telemetry: run a collector that does, set "local", and name it in "telemetry.otlpEndpoint"`
	}
	return ""
}
