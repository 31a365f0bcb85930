package remote

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/internal/network"
	"github.com/emendo-dev/emendo/mcp/oauth"
	"github.com/emendo-dev/emendo/mcp/schema"
)

// answers answers each request with a body of a type.
type answers struct {
	kind string
	body io.Reader
}

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {a.kind}}, Body: io.NopCloser(a.body)}, nil
}

// answer returns the body of the answer to a request through the link's sender.
func answer(t *testing.T, method, request string, w *schema.Written, from answers) io.ReadCloser {
	t.Helper()
	l, err := Open(oauth.Target{URL: "http://far.example"}, oauth.Logins{Network: network.New(network.Config{})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	l.Transport(w)
	r, err := http.NewRequestWithContext(t.Context(), method, l.target.URL, strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&sender{link: l, origin: r.URL, next: from}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp.Body
}

// Schemas are kept from answers that may have tools, however those arrive, and from no others.
func TestAnswersThatAreListenedTo(t *testing.T) {
	const (
		list   = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
		call   = `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`
		events = "text/event-stream"
		tools  = `{"id":1,"result":{"tools":[{"name":"a","inputSchema":{"z":1,"a":2}}]}}`
	)
	lines := strings.NewReplacer("[", "[\n", ",", ",\n").Replace(tools)
	data := func(text, end string) string {
		return "event: message" + end + "data: " + strings.ReplaceAll(text, "\n", end+"data:") + end
	}
	for _, c := range []struct {
		name, method, request, kind, body string
		kept                              bool
	}{
		{"a list", http.MethodPost, list, "application/json", tools, true},
		{"another result", http.MethodPost, call, "application/json", tools, false},
		{"a list in events", http.MethodPost, list, events, ": hi\n\n" + data(tools, "\n") + "\n", true},
		{"a list on several lines", http.MethodPost, list, events, data(lines, "\n") + "id: 1\n\n" + data("{}", "\n") + "\n", true},
		{"a list on several lines with returns", http.MethodPost, list, events, data(lines, "\r\n") + "\r\n", true},
		{"a list whose event does not end", http.MethodPost, list, events, strings.TrimSpace(data(lines, "\n")), true},
		{"another result in events", http.MethodPost, call, events, data(tools, "\n") + "\n", false},
		{"a stream", http.MethodGet, "", events, "event: endpoint\ndata: /x\n\n" + data(lines, "\n") + "\n", true},
	} {
		for name, body := range map[string]io.Reader{c.name: strings.NewReader(c.body), c.name + ", in bytes": iotest.OneByteReader(strings.NewReader(c.body))} {
			t.Run(name, func(t *testing.T) {
				w := &schema.Written{}
				got, err := io.ReadAll(answer(t, c.method, c.request, w, answers{c.kind, body}))
				if err != nil || string(got) != c.body {
					t.Errorf("the reader has %q, %v", got, err)
				}
				s := fmt.Sprintf("%s", w.Restored(&mcp.Tool{Name: "a"}).InputSchema)
				s = strings.ReplaceAll(s, "\n", "")
				if kept := s == `{"z":1,"a":2}`; kept != c.kept {
					t.Errorf("its schema is %s", s)
				}
			})
		}
	}
}

// A long line costs what its length costs, and not its square: minutes here.
func TestLongLineInEvents(t *testing.T) {
	const length = 32 << 20
	body := answer(t, http.MethodGet, "", &schema.Written{}, answers{"text/event-stream", bytes.NewReader(make([]byte, length))})
	begun, n := time.Now(), 0
	for piece := make([]byte, 256); ; {
		got, err := body.Read(piece)
		if n += got; err != nil {
			break
		}
		if time.Since(begun) > 20*time.Second {
			t.Fatalf("after %s only %d MiB are read", time.Since(begun), n>>20)
		}
	}
	if n != length {
		t.Errorf("%d bytes were read", n)
	}
}
