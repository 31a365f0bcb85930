package anthropic

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	anthropic "github.com/anthropics/anthropic-sdk-go"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// overloaded is the API's own status for a model that is overloaded.
const overloaded = 529

// failure is the API's error object.
type failure struct {
	status  int    // HTTP status; 0 in the middle of a stream
	kind    string // the API's word for it
	message string
	parsed  bool // it is the API's JSON
}

// parseFailure parses the body of an error response, or an error event. Of what is
// not the API's JSON only the status is used, and a short text.
func parseFailure(status int, body []byte) failure {
	var in struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &in) != nil {
		return failure{status: status, message: transport.PlainText(body)}
	}
	return failure{status, in.Error.Type, in.Error.Message, in.Error.Type != "" || in.Error.Message != ""}
}

const (
	tooLong   = `(?i)prompt is too long(?:: ([0-9]+) tokens > ([0-9]+) maximum)?`
	tooMuch   = "(?i)input length and `?max_tokens`? exceed context limit(?:: ([0-9]+) \\+ ([0-9]+) > ([0-9]+))?"
	unpaid    = `(?i)credit balance|billing|purchase credits`
	capped    = `(?i)reached your specified API usage limits`
	again     = `(?i)regain access on ([0-9]{4}-[0-9]{2}-[0-9]{2}) at ([0-9]{2}:[0-9]{2}) UTC`
	filtered  = `(?i)content filtering policy`
	ofCaller  = `(?i)\bapi[ _-]?key|credential|organization has been disabled|oauth`
	unread    = "(?i)invalid `?(signature|data)`? in `?(redacted_)?thinking`? block|`?thinking`? or `?redacted_thinking`? blocks .* cannot be modified|bound to a different"
	withdrawn = `(?i)no longer (available|supported)|(has been|is|was) (retired|deprecated)`
)

// kinds are the kinds of the API's error types where the message tells no more.
var kinds = map[string]model.ErrorKind{
	"authentication_error": model.Auth,
	"permission_error":     model.NoAccess,
	"not_found_error":      model.NotFound,
	"rate_limit_error":     model.RateLimited,
	"overloaded_error":     model.Unavailable,
	"api_error":            model.Unavailable,
	"timeout_error":        model.Unavailable,
	"request_too_large":    model.Overflow,
	"billing_error":        model.Quota,
}

// errorKind classifies the failure.
func (f failure) errorKind() model.ErrorKind {
	kind, ok := kinds[f.kind]
	if !ok {
		kind = transport.KindOf(f.status)
	}
	switch {
	case kind == model.NotFound && !f.parsed:
		return model.Invalid // of a server that does not have this API
	case f.status == http.StatusPaymentRequired, transport.Matches(capped, f.message):
		return model.Quota
	case kind == model.NoAccess && transport.Matches(ofCaller, f.message):
		return model.Auth
	case kind != model.Invalid:
		return kind
	case transport.Matches(tooLong, f.message), transport.Matches(tooMuch, f.message):
		return model.Overflow
	case transport.Matches(unpaid, f.message):
		return model.Quota
	case f.tooLongElsewhere():
		return model.Overflow
	case transport.Matches(filtered, f.message):
		return model.Blocked
	case transport.Matches(withdrawn, f.message):
		return model.NotFound
	}
	return kind
}

// classify translates a failure. after is the delay that the response asks for.
func (f failure) classify(after time.Duration, now time.Time, line func(string) string) *model.Error {
	e := &model.Error{Kind: f.errorKind(), Status: f.status, RetryAfter: after}
	e.Capacity = f.kind == "overloaded_error" || f.status == overloaded
	switch {
	case e.Kind == model.RateLimited && after > transport.MaxPatience:
		e.Kind, e.ResetAt = model.Quota, now.Add(after)
	case e.Kind == model.Quota:
		e.RetryAfter = 0
		if m := regexp.MustCompile(again).FindStringSubmatch(f.message); m != nil {
			e.ResetAt, _ = time.Parse("2006-01-02 15:04", m[1]+" "+m[2]) // zero if that is no date
		}
	case e.Kind == model.Overflow:
		e.Counted, e.Limit = f.counts()
	}
	if e.Kind == model.Invalid && transport.Matches(unread, f.message) {
		e.Err = errUnread
	}
	fix := ""
	if e.Kind == model.Invalid && f.status == http.StatusNotFound {
		fix = "check the base URL, which usually does not end in /v1"
	}
	e.Message = line(transport.Message(e.Kind, transport.MessageOr(f.status, f.message), fix))
	return e
}

// errUnread is the cause of the error for thinking that the API does not accept back.
// It is bound to the model's account and to all that came before it, which changes when
// the conversation is shortened, and the prompt or the tools with it.
var errUnread = errors.New("the API does not read its earlier thinking")

// counts returns how many tokens the request has and how many the model accepts; 0
// for what the message does not say.
func (f failure) counts() (counted, limit int64) {
	number := func(s string) int64 {
		n, _ := strconv.ParseInt(s, 10, 64) // 0 if it is missing or too large
		return n
	}
	if m := regexp.MustCompile(tooLong).FindStringSubmatch(f.message); m != nil {
		return number(m[1]), number(m[2])
	}
	if m := regexp.MustCompile(tooMuch).FindStringSubmatch(f.message); m != nil {
		return number(m[1]), max(number(m[3])-number(m[2]), 0)
	}
	counted, limit, _ = transport.Overflow(f.message)
	return counted, limit
}

// tooLongElsewhere reports whether the message is that of a server of another kind, which
// a gateway passes on, about a request that is too long.
func (f failure) tooLongElsewhere() bool {
	_, _, ok := transport.Overflow(f.message)
	return ok
}

// Refuse implements [transport.Provider].
func (g *Generator) Refuse(r transport.Refusal) *model.Error {
	return parseFailure(r.Status, r.Body).classify(cmp.Or(r.RetryAfter(), r.UntilReset()), r.Time, g.way.Line)
}

// Explain implements [transport.Provider]: an error event of a stream is the library's error.
func (g *Generator) Explain(err error, x *transport.Exchange) *model.Error {
	event, ok := errors.AsType[*anthropic.Error](err)
	if !ok {
		return nil
	}
	f := parseFailure(0, []byte(event.RawJSON()))
	if _, known := kinds[f.kind]; !known && f.kind != "invalid_request_error" {
		return g.way.BrokeOff(x, f.message)
	}
	return f.classify(0, time.Now(), g.way.Line)
}

// Garbled implements [transport.Provider].
func (*Generator) Garbled(err error) bool {
	var (
		syntax   *json.SyntaxError
		mismatch *json.UnmarshalTypeError
	)
	return errors.As(err, &syntax) || errors.As(err, &mismatch) ||
		strings.Contains(err.Error(), "apijson") || strings.Contains(err.Error(), "while streaming")
}
