//go:build collector

package main

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// TestARealCollectorReceivesTelemetry starts the collector of .tools/collector, which
// EMENDO_COLLECTOR names.
func TestARealCollectorReceivesTelemetry(t *testing.T) {
	for _, protocol := range []string{"grpc", "http"} {
		t.Run(protocol, func(t *testing.T) {
			at := map[string]string{"grpc": free(t), "http": free(t)}
			c := exec.CommandContext(t.Context(), os.Getenv("EMENDO_COLLECTOR"), at["grpc"], at["http"])
			c.Stderr = os.Stderr
			in, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			if !lines.Scan() || lines.Text() != "ready" {
				t.Fatalf("the collector says %q", lines.Text())
			}
			w := newWorld(t, geminitest.Do(geminitest.Call("glob", `{"pattern": "*"}`)), geminitest.Say("The answer."))
			w.put(filepath.Join(w.home, "config", "settings.json"), `{"telemetry": {"enabled": true, "otlpProtocol": "`+protocol+`", "otlpEndpoint": "`+at[protocol]+`"}}`)
			w.run("-p", "hi").wantCode(t, 0)
			in.Close()
			var got []string
			for lines.Scan() {
				got = append(got, lines.Text())
			}
			if err := c.Wait(); err != nil {
				t.Error(err)
			}
			for _, want := range []string{"span invoke_agent emendo", "span step", "span execute_tool glob", "metric gen_ai.client.token.usage", "metric emendo.turn.duration"} {
				if !slices.Contains(got, want) {
					t.Errorf("%q is missing in %q", want, got)
				}
			}
		})
	}
}

// free returns an address of this machine that nobody listens on.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
