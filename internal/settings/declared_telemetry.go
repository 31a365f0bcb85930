package settings

var telemetrySettings = []setting{
	{
		key:     "telemetry.enabled",
		doc:     "Send traces and metrics of turns, steps, calls and requests to an OpenTelemetry collector of yours. Without it nothing is sent. See [telemetry.md](telemetry.md).",
		scope:   user,
		field:   func(s *Settings) any { return &s.Telemetry.Enabled },
		initial: false,
	},
	{
		key:     "telemetry.traces",
		doc:     "Send traces, not only metrics.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Telemetry.Traces },
		initial: true,
	},
	{
		key:     "telemetry.otlpEndpoint",
		doc:     "The address of the collector, such as `http://localhost:4318`; empty means the usual port of the protocol on this machine.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Telemetry.Endpoint },
		initial: "",
	},
	{
		key:     "telemetry.otlpProtocol",
		doc:     "How the collector is spoken to.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Telemetry.Protocol },
		initial: "grpc", oneOf: []string{"grpc", "http"},
	},
	{
		key:     "telemetry.logPrompts",
		doc:     "Send the texts of prompts too.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Telemetry.LogPrompts },
		initial: false,
	},
	{
		key:     "telemetry.target",
		doc:     "Where Gemini CLI sends its telemetry. emendo only knows `local`, which stands for any collector; with `gcp` it sends nothing, and says so.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Telemetry.Target },
		initial: "local", oneOf: []string{"local", "gcp"},
		doubt: func(s *Settings) string {
			if s.Telemetry.Target == "gcp" {
				return `emendo cannot send to Google Cloud, and sends no telemetry: run a collector that does, set "local", and name it in "telemetry.otlpEndpoint"`
			}
			return ""
		},
	},
}
