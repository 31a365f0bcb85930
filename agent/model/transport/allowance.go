package transport

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
)

// accepted are the kinds of which providers say how much they still accept, by the
// beginning and the end of the header's name. OpenAI's form is that of most gateways.
var accepted = []struct{ of, remaining, limit, reset string }{
	{"requests", "X-Ratelimit-Remaining-Requests", "X-Ratelimit-Limit-Requests", "X-Ratelimit-Reset-Requests"},
	{"tokens", "X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Limit-Tokens", "X-Ratelimit-Reset-Tokens"},
	{"requests", "Anthropic-Ratelimit-Requests-Remaining", "Anthropic-Ratelimit-Requests-Limit", "Anthropic-Ratelimit-Requests-Reset"},
	{"tokens", "Anthropic-Ratelimit-Tokens-Remaining", "Anthropic-Ratelimit-Tokens-Limit", "Anthropic-Ratelimit-Tokens-Reset"},
	{"input tokens", "Anthropic-Ratelimit-Input-Tokens-Remaining", "Anthropic-Ratelimit-Input-Tokens-Limit", "Anthropic-Ratelimit-Input-Tokens-Reset"},
	{"output tokens", "Anthropic-Ratelimit-Output-Tokens-Remaining", "Anthropic-Ratelimit-Output-Tokens-Limit", "Anthropic-Ratelimit-Output-Tokens-Reset"},
}

// Allowances returns what the last response with such headers said, at that time.
func (t *Transport) Allowances() []model.Allowance {
	if l := t.allowed.Load(); l != nil {
		return *l
	}
	return nil
}

// noteAllowances keeps what the headers of a response say.
func (t *Transport) noteAllowances(h http.Header, now time.Time) {
	if l := allowancesIn(h, now); len(l) > 0 {
		t.allowed.Store(&l)
	}
}

func allowancesIn(h http.Header, now time.Time) (l []model.Allowance) {
	count := func(name string) (int64, bool) {
		n, err := strconv.ParseInt(strings.TrimSpace(h.Get(name)), 10, 64)
		return n, err == nil && n >= 0
	}
	for _, c := range accepted {
		a := model.Allowance{Of: c.of}
		var ok bool
		if a.Remaining, ok = count(c.remaining); !ok {
			continue
		}
		if limit, ok := count(c.limit); ok && limit >= a.Remaining {
			a.Limit = limit
		}
		text := strings.TrimSpace(h.Get(c.reset))
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			a.Resets = at
		} else if d, err := time.ParseDuration(text); err == nil && d >= 0 {
			a.Resets = now.Add(d)
		} else if s, err := strconv.ParseFloat(text, 64); err == nil && s >= 0 && s < 1e9 {
			a.Resets = now.Add(time.Duration(s * float64(time.Second)))
		}
		l = append(l, a)
	}
	return l
}

// UntilReset returns how long the limits that are used up stay so; 0 if the headers do not
// say.
func (r Refusal) UntilReset() (longest time.Duration) {
	for _, a := range allowancesIn(r.Header, r.Time) {
		if a.Remaining == 0 && !a.Resets.IsZero() {
			longest = max(longest, a.Resets.Sub(r.Time))
		}
	}
	return longest
}
