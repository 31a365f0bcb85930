package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// A script only fetches pages that the user has allowed.
func TestFetchingInAScript(t *testing.T) {
	for _, tt := range []struct {
		name  string
		args  []string
		asked bool   // whether the server got a request
		want  string // part of the result
	}{
		{name: "as it is", want: "It needs the user's approval, and no user is available to approve it."},
		{name: "allowed by name", args: []string{"--allowed-tools", "web_fetch"}, asked: true, want: `Source: http://docs.test/page`},
		{name: "in yolo mode", args: []string{"--approval-mode", "yolo"}, asked: true, want: "# Use it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := false
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = r.Host == "docs.test" && r.UserAgent() == "emendo/"+version
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, "<h1>Use it</h1>")
			}))
			defer server.Close()
			w := newWorld(t, geminitest.Do(geminitest.Call("web_fetch", `{"url":"http://docs.test/page"}`)), geminitest.Say("Done."))
			w.env = append(w.env, webVariable+"="+strings.TrimPrefix(server.URL, "http://"))
			if r := w.run(append(tt.args, "-p", "look it up")...); r.code != 0 || asked != tt.asked {
				t.Errorf("status %d, the server was asked: %v; %s", r.code, asked, r.stderr)
			}
			if got := w.lastBody(); !strings.Contains(got, tt.want) {
				t.Errorf("the model got %s", got)
			}
		})
	}
}

// Addresses of this machine are not fetched.
func TestFetchingFromThisMachine(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the server was asked") }))
	defer server.Close()
	w := newWorld(t, geminitest.Do(geminitest.Call("web_fetch", `{"url":"`+server.URL+`"}`)), geminitest.Say("Done."))
	if r := w.run("--approval-mode", "yolo", "-p", "look"); r.code != 0 {
		t.Errorf("status %d; %s", r.code, r.stderr)
	}
	if got := w.lastBody(); !strings.Contains(got, "127.0.0.1 is not in the public network") {
		t.Errorf("the model got %s", got)
	}
}

// A search is a separate request with the provider's search and without the
// conversation. The answer cites its sources by number.
func TestSearchingTheWeb(t *testing.T) {
	grounded := geminitest.Say("Grüße: ", "Go 1.26 ist da. Mehr nicht.")
	grounded.Events[1].Grounding = json.RawMessage(`{"webSearchQueries":["go"],"groundingChunks":[{"web":{"uri":"https://go.test/doc","title":"go.test"}},{"web":{"uri":"https://b.test/","title":"b"}}],
		"groundingSupports":[{"segment":{"startIndex":9,"endIndex":24,"text":"Go 1.26 ist da."},"groundingChunkIndices":[0]},{"segment":{"endIndex":36},"groundingChunkIndices":[0,1]}]}`)
	w := newWorld(t, geminitest.Do(geminitest.Call("google_web_search", `{"query":"Which Go?"}`)), grounded, geminitest.Say("Done."))
	if r := w.run("-p", "look it up"); r.code != 0 {
		t.Fatalf("status %d; %s", r.code, r.stderr)
	}
	l := w.model.Requests()
	if len(l) != 3 {
		t.Fatalf("%d requests", len(l))
	}
	var search struct {
		Contents []any
		Tools    []map[string]any
	}
	if err := json.Unmarshal(l[1].Body, &search); err != nil || len(search.Contents) != 1 || len(search.Tools) != 1 || search.Tools[0]["googleSearch"] == nil || !strings.Contains(string(l[1].Body), `"Which Go?"`) {
		t.Errorf("%v: the search was asked for by %s", err, l[1].Body)
	}
	const want = `Grüße: Go 1.26 ist da.[1] Mehr nicht.[1][2]\n\nSources:\n[1] go.test https://go.test/doc\n[2] b https://b.test/`
	if got := string(l[2].Body); !strings.Contains(got, want) {
		t.Errorf("the model got %s", got)
	}
}
