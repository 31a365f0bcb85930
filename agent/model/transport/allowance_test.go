package transport

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
)

func TestWhatAProviderStillAccepts(t *testing.T) {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name string
		h    http.Header
		want string
	}{
		{"OpenAI's", http.Header{
			"X-Ratelimit-Limit-Requests": {"5000"}, "X-Ratelimit-Remaining-Requests": {"4999"}, "X-Ratelimit-Reset-Requests": {"12ms"},
			"X-Ratelimit-Limit-Tokens": {"160000"}, "X-Ratelimit-Remaining-Tokens": {"159976"}, "X-Ratelimit-Reset-Tokens": {"6m0s"},
		}, "By its last answer the provider still accepts 4999 of 5000 requests (all again in 1s), 159976 of 160000 tokens (all again in 6m0s)."},
		{"Anthropic's", http.Header{
			"Anthropic-Ratelimit-Requests-Limit": {"50"}, "Anthropic-Ratelimit-Requests-Remaining": {"49"}, "Anthropic-Ratelimit-Requests-Reset": {"2026-11-28T12:00:30Z"},
			"Anthropic-Ratelimit-Output-Tokens-Remaining": {"8000"},
		}, "By its last answer the provider still accepts 49 of 50 requests (all again in 30s), 8000 output tokens."},
		{"a gateway's seconds", http.Header{"X-Ratelimit-Remaining-Requests": {"3"}, "X-Ratelimit-Reset-Requests": {"1.5"}}, "By its last answer the provider still accepts 3 requests (all again in 2s)."},
		{"reset since", http.Header{"X-Ratelimit-Remaining-Requests": {"3"}, "X-Ratelimit-Reset-Requests": {"0s"}}, ""},
		{"no numbers", http.Header{"X-Ratelimit-Remaining-Requests": {"many"}, "Anthropic-Ratelimit-Tokens-Remaining": {"-1"}}, ""},
		{"none", http.Header{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := model.DescribeAllowances(allowancesIn(tt.h, now), now); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// answering answers each request with headers.
type answering []http.Header

func (a *answering) RoundTrip(*http.Request) (*http.Response, error) {
	h := (*a)[0]
	*a = (*a)[1:]
	return &http.Response{StatusCode: http.StatusOK, Header: h, Body: io.NopCloser(strings.NewReader("{}"))}, nil
}

func TestTheLastAnswerThatSaysSoCounts(t *testing.T) {
	server := &answering{{"X-Ratelimit-Remaining-Requests": {"9"}}, {"X-Ratelimit-Remaining-Requests": {"8"}}, {}}
	way := New(Options{HTTP: server}, nil)
	for range 3 {
		req, err := http.NewRequestWithContext(With(t.Context(), &Exchange{Whole: true}), http.MethodPost, "http://localhost/", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := way.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	if d := cmp.Diff(way.Allowances(), []model.Allowance{{Of: "requests", Remaining: 8}}); d != "" {
		t.Error(d)
	}
}
