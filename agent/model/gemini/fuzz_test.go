package gemini_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/gemini"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// canned is a transport that answers every request with the same bytes.
type canned struct {
	status int
	kind   string
	body   []byte
}

func (c canned) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: c.status, Request: req, Header: http.Header{"Content-Type": {c.kind}},
		Body: io.NopCloser(bytes.NewReader(c.body)),
	}, nil
}

// FuzzStream checks that no answer makes a stream panic or end without either
// a finish or an *Error.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		word + final, "", "[1]", `data: {"candidates":[null]}`, `data: {"candidates":[{"content":{"parts":[null,{"functionCall":null}]}}]}`,
		`data: {"promptFeedback":{"blockReason":"X"}}`, `data: {"error":{"code":429,"details":[{"@type":1}]}}`, `{"error":"x"}`,
		`data: {"usageMetadata":{"promptTokenCount":-1}}`, `data: {"candidates":[{"citationMetadata":7}]}`, `data: null`,
	} {
		f.Add(uint16(200), []byte(seed))
		f.Add(uint16(429), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, status uint16, body []byte) {
		g, err := gemini.New(gemini.Options{APIKey: "a-key-of-mine", Way: transport.Options{HTTP: canned{200 + int(status)%400, "text/event-stream", body}}})
		if err != nil {
			t.Fatal(err)
		}
		a, err := collect(t.Context(), g, ask("gemini-2.5-pro", "hi"))
		var e *model.Error
		if (err == nil) == (a.Finish == "") || err != nil && !errors.As(err, &e) {
			t.Errorf("finish %q, error %T %v", a.Finish, err, err)
		}
	})
}
