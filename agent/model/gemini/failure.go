package gemini

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/genai"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// perMinute is the delay for a used-up quota by the minute when the server names
// none.
const perMinute = 60 * time.Second

// failure is Google's error object.
type failure struct {
	Code    int      `json:"code"`
	Message string   `json:"message"`
	Status  string   `json:"status"`
	Details []detail `json:"details"`
	parsed  bool     // it is Google's JSON
}

// detail is one of google.rpc's error details that matter here: ErrorInfo, Help,
// RetryInfo or QuotaFailure.
type detail struct {
	Type       string            `json:"@type"`
	Reason     string            `json:"reason"`
	Metadata   map[string]string `json:"metadata"`
	RetryDelay string            `json:"retryDelay"`
	Links      []struct {
		URL string `json:"url"`
	} `json:"links"`
	Violations []struct {
		QuotaID string `json:"quotaId"`
	} `json:"violations"`
}

// parseFailure parses the body of an error response. Of a body that is not
// Google's JSON only the status is used, and a short text.
func parseFailure(status int, body []byte) failure {
	var list []struct {
		Error json.RawMessage `json:"error"`
	}
	f := failure{Message: transport.PlainText(body)}
	if !strings.HasPrefix(strings.TrimSpace(string(body)), "[") {
		body = append(append([]byte("["), body...), ']')
	}
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		f = parseObject(list[0].Error)
	}
	if f.Code < 400 || f.Code > 599 {
		f.Code = status
	}
	return f
}

// parseObject parses an error object. Gateways put whole bodies into messages, so
// a message that is itself an error object is parsed as well.
func parseObject(raw json.RawMessage) failure {
	f := failure{}
	for range 10 {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			f.Message, f.parsed = text, true
		} else if !f.read(raw) {
			return f
		}
		var inner struct {
			Error json.RawMessage `json:"error"`
		}
		if json.Unmarshal([]byte(f.Message), &inner) != nil || inner.Error == nil {
			return f
		}
		raw = inner.Error
	}
	return f
}

// read fills f from an error object. Details are decoded one by one, so that one
// of unknown form does not hide the others.
func (f *failure) read(raw json.RawMessage) bool {
	var in struct {
		Code    json.Number       `json:"code"`
		Message string            `json:"message"`
		Status  string            `json:"status"`
		Details []json.RawMessage `json:"details"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return false
	}
	if code, err := strconv.Atoi(in.Code.String()); err == nil {
		f.Code = code
	}
	f.Message, f.Status, f.parsed = in.Message, in.Status, true
	for _, raw := range in.Details {
		var d detail
		if json.Unmarshal(raw, &d) == nil {
			f.Details = append(f.Details, d)
		}
	}
	return true
}

// fromStream converts an error from the middle of a stream.
func fromStream(e genai.APIError) failure {
	raw, err := json.Marshal(e)
	if err != nil {
		return failure{Code: e.Code, Message: e.Message, Status: e.Status}
	}
	return parseObject(raw)
}

const (
	noRoom   = `(?i)no capacity|capacity (is )?(exhausted|exceeded)|model is overloaded`
	retryIn  = `(?i)(?:retry in|reset after) ([0-9.]+ ?m?s|(?:[0-9]+h)?(?:[0-9]+m)?(?:[0-9.]*[0-9]+s)?)\b`
	noQuota  = `limit: 0(?:[^0-9.]|\.?$|\.[^0-9])`
	byDay    = `PerDay|Daily`
	byMinute = `PerMinute`

	// withdrawn matches what the API says of models that it no longer serves, at
	// all or to new keys.
	withdrawn = `(?i)no longer (available|supported)|not available to new|(has been|is|was) (retired|discontinued|shut ?down|deprecated)`

	// Rejections of the caller by reason (google.api.ErrorReason), and by text where
	// there is no reason.
	callerReason = `^(API_KEY_|SERVICE_|CONSUMER_|BILLING_|ACCESS_TOKEN_|ACCOUNT_|USER_|VALIDATION_REQUIRED|RESOURCE_USAGE_|LOCATION_|SECURITY_POLICY_)`
	callerText   = `(?i)\bapi[ _-]?key|credential|billing|unregistered callers|suspended|service ?account|has not been used in project|verify your account`
)

// classify translates a failure. header is the delay of its Retry-After header, or
// 0; line makes the message of an error presentable.
func (f failure) classify(header time.Duration, now time.Time, line func(string) string) *model.Error {
	e := &model.Error{Kind: f.kind(), Status: f.Code, RetryAfter: max(header, f.delay())}
	switch {
	case e.Kind != model.RateLimited && e.Kind != model.Unavailable:
	case f.noRoom():
		e.Capacity = true
	case transport.Matches(noQuota, f.Message):
		e.Kind = model.Quota // a limit of zero does not reset
	case e.Kind == model.RateLimited:
		f.limit(e, now)
	}
	if e.Kind == model.Overflow {
		e.Counted, e.Limit, _ = transport.Overflow(f.Message)
	}
	e.Message = line(transport.Message(e.Kind, f.message(), f.advice(e.Kind)))
	return e
}

// limit tells a rate limit, which is worth a wait, from a used-up quota, and sets
// when that resets.
func (f failure) limit(e *model.Error, now time.Time) {
	switch {
	case e.RetryAfter > transport.MaxPatience:
		e.Kind, e.ResetAt = model.Quota, now.Add(e.RetryAfter)
	case f.quota(byDay):
		// The short delay that the API sends with it is not that of the day.
		e.Kind, e.ResetAt, e.RetryAfter = model.Quota, nextDay(now), 0
	case f.reason("QUOTA_EXHAUSTED"):
		e.Kind = model.Quota
	case e.RetryAfter == 0 && f.quota(byMinute):
		e.RetryAfter = perMinute
	}
}

// nextDay returns when daily quotas reset: midnight in California. Without a time
// zone database it assumes standard time, which is at most an hour late and never
// early.
func nextDay(now time.Time) time.Time {
	there, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		there = time.FixedZone("PST", -8*60*60)
	}
	y, m, d := now.In(there).Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, there).In(now.Location())
}

// noRoom reports whether the model is overloaded, as opposed to a limit of the
// key.
func (f failure) noRoom() bool {
	return f.reason("MODEL_CAPACITY_EXHAUSTED") || f.reason("MODEL_CAPACITY_EXCEEDED") || transport.Matches(noRoom, f.Message)
}

// reason reports whether a detail has that reason.
func (f failure) reason(why string) bool {
	return slices.ContainsFunc(f.Details, func(d detail) bool { return d.Reason == why })
}

// kind derives the kind from the status and, for some statuses, from reason and
// message.
func (f failure) kind() model.ErrorKind {
	switch {
	case f.Code == http.StatusNotFound && !f.parsed:
		return model.Invalid // of a server that does not have this API
	case (f.Code == http.StatusForbidden || f.Code == http.StatusBadRequest) && transport.Matches(withdrawn, f.Message):
		return model.NotFound
	case f.Code == http.StatusForbidden && (f.ofCaller() || !f.parsed): // a gateway's is not about the model
		return model.Auth
	case f.Code == http.StatusBadRequest:
		switch {
		case f.reason("API_KEY_INVALID"), f.reason("API_KEY_EXPIRED"):
			return model.Auth
		case strings.Contains(f.Message, "API key not valid"), strings.Contains(f.Message, "API key expired"):
			return model.Auth
		}
		if _, _, ok := transport.Overflow(f.Message); ok {
			return model.Overflow
		}
	}
	return transport.KindOf(f.Code)
}

// ofCaller reports whether the key, the account or the project is rejected,
// whatever the model.
func (f failure) ofCaller() bool {
	return transport.Matches(callerText, f.Message) || f.accountPage() != "" ||
		slices.ContainsFunc(f.Details, func(d detail) bool { return transport.Matches(callerReason, d.Reason) })
}

// advice returns what the user can do about it, beside what follows from the kind.
func (f failure) advice(kind model.ErrorKind) string {
	if link := f.accountPage(); kind == model.Auth && link != "" {
		return "see " + link
	}
	if kind == model.Invalid && f.Code == http.StatusNotFound {
		return "check the base URL"
	}
	return ""
}

// accountPage returns the page that the API names for a rejected account, or "".
func (f failure) accountPage() string {
	for _, d := range f.Details {
		for _, link := range []string{d.Metadata["appeal_url"], d.Metadata["validation_link"]} {
			if link != "" {
				return link
			}
		}
		if len(d.Links) > 0 && d.Links[0].URL != "" {
			return d.Links[0].URL
		}
	}
	return ""
}

// message returns the provider's message.
func (f failure) message() string {
	if f.Message == "" && f.Status != "" {
		return f.Status
	}
	return transport.MessageOr(f.Code, f.Message)
}

// quota reports whether a quota whose name matches is used up.
func (f failure) quota(which string) bool {
	for _, d := range f.Details {
		if transport.Matches(which, d.Metadata["quota_limit"]) {
			return true
		}
		for _, v := range d.Violations {
			if transport.Matches(which, v.QuotaID) {
				return true
			}
		}
	}
	return false
}

// delay returns the longest delay that the body asks for, or 0.
func (f failure) delay() time.Duration {
	var longest time.Duration
	for _, d := range f.Details {
		if v, err := time.ParseDuration(d.RetryDelay); err == nil {
			longest = max(longest, v)
		}
	}
	if m := regexp.MustCompile(retryIn).FindStringSubmatch(f.Message); m != nil {
		if v, err := time.ParseDuration(strings.ReplaceAll(m[1], " ", "")); err == nil {
			longest = max(longest, v)
		}
	}
	return longest
}
