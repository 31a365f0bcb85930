package gemini_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// chunks is the number of events in a benchmark's answer.
const chunks = 20_000

func longAnswer(b *testing.B) *geminitest.Server {
	b.Helper()
	texts := make([]string, chunks)
	for i := range texts {
		texts[i] = "some words "
	}
	s := geminitest.Start(geminitest.Options{Answer: func(geminitest.Request) geminitest.Reply { return geminitest.Say(texts...) }})
	b.Cleanup(s.Close)
	return s
}

// BenchmarkStream measures the generator; BenchmarkFloor measures bare HTTP
// and JSON against the same server.
func BenchmarkStream(b *testing.B) {
	s := longAnswer(b)
	g := client(b, s, nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := collect(b.Context(), g, ask("gemini-2.5-pro", "hi")); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(chunks*b.N)/b.Elapsed().Seconds(), "chunks/s")
}

func BenchmarkFloor(b *testing.B) {
	s := longAnswer(b)
	way := http.DefaultTransport.(*http.Transport).Clone()
	b.Cleanup(way.CloseIdleConnections)
	b.ReportAllocs()
	for b.Loop() {
		req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, s.URL+"/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
			bytes.NewReader([]byte(`{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`)))
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Goog-Api-Key", s.Key)
		resp, err := way.RoundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			var event struct {
				Candidates []struct {
					Content struct{ Parts []struct{ Text string } }
				}
			}
			if data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: ")); ok {
				if err := json.Unmarshal(data, &event); err != nil {
					b.Fatal(err)
				}
				n++
			}
		}
		resp.Body.Close()
		if n != chunks {
			b.Fatalf("%d chunks", n)
		}
	}
	b.ReportMetric(float64(chunks*b.N)/b.Elapsed().Seconds(), "chunks/s")
}
