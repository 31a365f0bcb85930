package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// failure is an error object of the API. Compatible servers write it in several ways.
type failure struct {
	Status  int
	Code    string
	Type    string
	Param   string
	Message string
	Prompt  int64 // tokens of a request that is too long; 0: unknown
	Limit   int64 // tokens that the model accepts
	parsed  bool
}

// parseFailure parses the body of an error response. Of a body that is not JSON of a
// known form only the status is used, and a short text.
func parseFailure(status int, body []byte) failure {
	f := failure{Status: status}
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var outer struct {
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &outer) != nil {
		f.Message = transport.PlainText(body)
		return f
	}
	switch {
	case given(outer.Error):
		f.read(outer.Error)
	case given(outer.Detail):
		f.read(outer.Detail)
	default:
		f.read(body)
	}
	return f
}

func given(raw json.RawMessage) bool { return len(raw) > 0 && !bytes.Equal(raw, []byte("null")) }

// read fills f from an error object, or from the text that some servers send instead.
func (f *failure) read(raw json.RawMessage) {
	if json.Unmarshal(raw, &f.Message) == nil {
		f.parsed = true
		return
	}
	var in struct {
		Message json.RawMessage `json:"message"`
		Code    json.RawMessage `json:"code"`
		Type    json.RawMessage `json:"type"`
		Param   json.RawMessage `json:"param"`
		Prompt  json.RawMessage `json:"n_prompt_tokens"` // of llama.cpp
		Limit   json.RawMessage `json:"n_ctx"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return
	}
	f.Message, f.Code, f.Type, f.Param = textOrNumber(in.Message), textOrNumber(in.Code), textOrNumber(in.Type), textOrNumber(in.Param)
	f.Prompt, f.Limit = number(textOrNumber(in.Prompt)), number(textOrNumber(in.Limit))
	if status := number(f.Code); status >= 400 && status < 600 {
		f.Code = ""
		if f.Status < 400 {
			f.Status = int(status)
		}
	}
	f.parsed = f.Message != "" || f.Code != "" || f.Type != ""
}

// textOrNumber returns a JSON string or number as text, and "" for anything else.
func textOrNumber(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// streamFailure returns the error in an event of a stream that is nothing else. The
// Responses API has a type of event for it, compatible servers have only the object.
func streamFailure(data []byte) (failure, bool) {
	if !bytes.Contains(data, []byte(`"error"`)) {
		return failure{}, false
	}
	var in struct {
		Object  string          `json:"object"` // "error" in those of vLLM, which have no object inside
		Type    string          `json:"type"`
		Message string          `json:"message"`
		Error   json.RawMessage `json:"error"`
	}
	if json.Unmarshal(data, &in) != nil {
		return failure{}, false
	}
	if in.Object == "error" && in.Message != "" {
		return parseFailure(0, data), true
	}
	if !given(in.Error) || in.Type != "" && in.Type != "error" {
		return failure{}, false
	}
	return parseFailure(0, data), true
}

// Codes and types of errors by what they mean.
var codes = map[model.ErrorKind][]string{
	model.Quota:       {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "quota_exceeded", "exceeded_current_quota_error", "insufficient_balance"},
	model.Overflow:    {"context_length_exceeded", "exceed_context_size_error", "request_too_large"},
	model.NotFound:    {"model_not_found", "model_not_available", "invalid_model", "DeploymentNotFound", "unsupported_model"},
	model.Auth:        {"invalid_api_key", "account_deactivated", "invalid_organization", "mismatched_project", "unsupported_country_region_territory", "ip_not_authorized", "missing_scope", "authentication_error", "invalid_authentication"},
	model.Blocked:     {"content_policy_violation", "content_filter", "invalid_prompt", "cyber_policy_violation", "bio_policy_violation", "bio_policy", "misalignment_policy_violation", "safety_violation", "image_content_policy_violation"},
	model.RateLimited: {"rate_limit_exceeded", "rate_limit_error", "too_many_requests"},
	model.Unavailable: {"server_error", "internal_error", "internal_server_error", "overloaded", "overloaded_error", "engine_overloaded", "service_unavailable", "slow_down", "vector_store_timeout", "timeout"},
	model.Invalid: {
		"unknown_url", stale, "unsupported_parameter", "unsupported_value", "unknown_parameter", "data_residency_mismatch",
		"invalid_image", "invalid_image_format", "invalid_base64_image", "invalid_image_url", "invalid_image_mode", "unsupported_image_media_type", "empty_image_file",
		"image_too_large", "image_too_small", "image_file_too_large", "image_parse_error", "image_file_not_found", "failed_to_download_image",
	},
}

// stale is the code for encrypted reasoning that the server cannot read.
const stale = "invalid_encrypted_content"

const (
	noRoom     = `(?i)overloaded|(at|no|over) capacity|high demand|slow down|currently loading|loading model|server is busy`
	refusedAll = `(?i)deactivated|country|region|territory|\bapi[ _-]?key\b|permission|scope|billing|organization must be verified`
	noPictures = `(?i)(image|audio|vision|multi-?modal)s?( input)?s? (is|are) not supported|not support(ed)? (image|audio|vision|multi-?modal)|mmproj|cannot identify image|failed to (load|decode|process) (the )?image|unsupported image`
	byDay      = `(?i)\bper day\b|\((RPD|TPD)\)`
	again      = `(?i)(?:try again|retry) (?:in|after) ((?:[0-9]+(?:\.[0-9]+)?(?:ms|h|m|s))+)`
	tooLarge   = `(?i)request too large.*limit:? ([0-9]+),? requested:? ([0-9]+)`
	unread     = `(?i)encrypted content .*(could not|cannot) be (verified|decrypted|decoded|parsed)`
)

// kind derives the kind from the code, from the text where servers have no codes, and
// from the status.
func (f failure) kind() model.ErrorKind {
	if transport.Matches(tooLarge, f.Message) { // waiting does not make it smaller
		return model.Overflow
	}
	for _, word := range []string{f.Code, f.Type} {
		for kind, known := range codes {
			if !slices.Contains(known, word) {
				continue
			}
			if kind == model.NotFound && f.Status == http.StatusForbidden {
				return model.NoAccess
			}
			if kind == model.Unavailable {
				return f.crash(kind)
			}
			return kind
		}
	}
	switch kind := transport.KindOf(f.Status); {
	case kind == model.NoAccess && transport.Matches(refusedAll, f.Message):
		return model.Auth
	case kind == model.NotFound && !f.parsed:
		return model.Invalid // of a server that does not have this API
	case kind == model.Invalid, kind == model.Unavailable:
		return f.crash(kind)
	default:
		return kind
	}
}

// crash returns the kind of a failure whose text may tell more than its kind: some servers
// fail as if it was their fault where the request is what they cannot answer.
func (f failure) crash(kind model.ErrorKind) model.ErrorKind {
	if _, _, ok := transport.Overflow(f.Message); ok {
		return model.Overflow
	}
	if transport.Matches(noPictures, f.Message) {
		return model.Invalid
	}
	return kind
}

// classify translates a failure. asked is the delay that the headers ask for, and
// reset the time after which nothing of a limit is used up, which is longer than one
// has to wait.
func (f failure) classify(asked, reset time.Duration, now time.Time, line func(string) string) *model.Error {
	e := &model.Error{Kind: f.kind(), Status: f.Status}
	switch e.Kind { //nolint:exhaustive // the others have nothing more to tell
	case model.RateLimited, model.Unavailable:
		if e.RetryAfter = max(asked, f.delay()); e.RetryAfter == 0 {
			e.RetryAfter = reset
		}
		e.Capacity = transport.Matches(noRoom, f.Code+" "+f.Type+" "+f.Message)
		if e.Kind == model.RateLimited && (e.RetryAfter > transport.MaxPatience || transport.Matches(byDay, f.Message)) {
			e.Kind = model.Quota
			if e.RetryAfter > 0 {
				e.ResetAt, e.RetryAfter = now.Add(e.RetryAfter), 0
			}
		}
	case model.Overflow:
		e.Counted, e.Limit = f.Prompt, f.Limit
		if m := regexp.MustCompile(tooLarge).FindStringSubmatch(f.Message); m != nil {
			e.Limit, e.Counted = number(m[1]), number(m[2])
		}
		counted, limit, _ := transport.Overflow(f.Message)
		e.Counted, e.Limit = cmp.Or(e.Counted, counted), cmp.Or(e.Limit, limit)
	}
	e.Loading = transport.Loading(f.Status, f.Message)
	if f.Code == stale || e.Kind == model.Invalid && transport.Matches(unread, f.Message) {
		e.Err = &staleError{}
	}
	fix := ""
	if e.Kind == model.Invalid && f.Status == http.StatusNotFound {
		fix = "check the base URL, which usually ends in /v1"
	}
	e.Message = line(transport.Message(e.Kind, f.message(), fix))
	return e
}

// message returns the provider's message, or the code if it sent none.
func (f failure) message() string {
	for _, text := range []string{f.Message, f.Code, f.Type} {
		if text != "" {
			return maskedKey.ReplaceAllString(text, "[key]")
		}
	}
	return transport.MessageOr(f.Status, "")
}

// maskedKey matches a key of which the API shows the ends.
var maskedKey = regexp.MustCompile(`[0-9A-Za-z_.-]*\*{3,}[0-9A-Za-z_*-]*`)

// delay returns how long the message asks to wait, or 0.
func (f failure) delay() time.Duration {
	if m := regexp.MustCompile(again).FindStringSubmatch(f.Message); m != nil {
		if d, err := time.ParseDuration(m[1]); err == nil {
			return d
		}
	}
	return 0
}

// Explain implements [transport.Provider]: events are decoded here, not by the library.
func (*Generator) Explain(error, *transport.Exchange) *model.Error { return nil }

// Garbled implements [transport.Provider].
func (*Generator) Garbled(err error) bool {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, kind := errors.AsType[*json.UnmarshalTypeError](err)
	return syntax || kind
}

// Refuse implements [transport.Provider].
func (g *Generator) Refuse(r transport.Refusal) *model.Error {
	return parseFailure(r.Status, r.Body).classify(r.RetryAfter(), r.UntilReset(), r.Time, g.way.Line)
}

// inStream translates an error in the middle of a stream. One of unknown meaning
// counts as a broken stream, which is asked for again.
func (g *Generator) inStream(f failure, x *transport.Exchange) *model.Error {
	e := f.classify(0, 0, time.Now(), g.way.Line)
	if f.Status >= 400 || e.Kind != model.Invalid || slices.Contains(codes[model.Invalid], f.Code) {
		return e
	}
	return g.way.BrokeOff(x, f.message())
}
