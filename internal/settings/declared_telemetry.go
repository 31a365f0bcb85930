package settings

// Telemetry says what is sent to the user's OpenTelemetry collector.
type Telemetry struct {
	Enabled, Traces, LogPrompts bool
	Endpoint                    string          `key:"telemetry.otlpEndpoint"` // a URL, or HOST:PORT; empty: on this machine
	Protocol                    string          `key:"telemetry.otlpProtocol"` // "grpc" or "http"
	Target                      TelemetryTarget // "local" or "gcp", which is not supported
}

// TelemetryTarget is where Gemini CLI sends its telemetry.
type TelemetryTarget string

func (t TelemetryTarget) doubt(string) string {
	if t == "gcp" {
		return `emendo cannot send to Google Cloud, and sends no telemetry: run a collector that does, set "local", and name it in "telemetry.otlpEndpoint"`
	}
	return ""
}

var telemetrySettings = []setting{
	{
		key: "telemetry.enabled",
		doc: "Send traces and metrics of turns, steps, calls and requests to an OpenTelemetry collector of yours. Without it nothing is sent. See [telemetry.md](telemetry.md).",
	},
	{
		key:     "telemetry.traces",
		doc:     "Send traces, not only metrics.",
		initial: true,
	},
	{
		key: "telemetry.otlpEndpoint",
		doc: "The address of the collector, such as `http://localhost:4318`; empty means the usual port of the protocol on this machine.",
	},
	{
		key:     "telemetry.otlpProtocol",
		doc:     "How the collector is spoken to.",
		initial: "grpc", oneOf: []string{"grpc", "http"},
	},
	{
		key: "telemetry.logPrompts",
		doc: "Send the texts of prompts too.",
	},
	{
		key:     "telemetry.target",
		doc:     "Where Gemini CLI sends its telemetry. emendo only knows `local`, which stands for any collector; with `gcp` it sends nothing, and says so.",
		initial: "local", oneOf: []string{"local", "gcp"},
	},
}
