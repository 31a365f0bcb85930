package gemini

import (
	"errors"
	"strings"
	"time"

	"cloud.google.com/go/auth"
	"google.golang.org/genai"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// explain turns whatever ended a stream into a [*model.Error].
func (g *Generator) explain(err error, x *exchange) *model.Error {
	var (
		known   *model.Error
		apiErr  genai.APIError // a value, as the client library returns it
		authErr *auth.Error
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &apiErr):
		return g.refusal(fromStream(apiErr), x)
	case errors.As(err, &authErr):
		return &model.Error{Kind: model.Auth, Message: "Google Cloud issued no token; run gcloud auth application-default login again", Err: g.way.Clean(err)}
	}
	return g.way.Explain(err, &x.Exchange)
}

// refuse translates a response with an error status.
func (g *Generator) refuse(r transport.Refusal) *model.Error {
	return parseFailure(r.Status, r.Body).classify(r.RetryAfter(), r.Time, g.way.Line)
}

// refusal translates an error object in the middle of a stream. Without a usable
// code it counts as a broken stream.
func (g *Generator) refusal(f failure, x *exchange) *model.Error {
	if f.Code < 400 || f.Code > 599 {
		said := ""
		if words := f.said(); words != "" {
			said = ": " + words
		}
		return &model.Error{Kind: model.Cut, Status: x.Status, Message: g.way.Line("the response broke off" + said)}
	}
	return f.classify(0, time.Now(), g.way.Line)
}

// garbled reports whether the client library could not decode an event. Its error
// then quotes all of it.
func garbled(err error) bool {
	text := err.Error()
	return strings.Contains(text, "iterateResponseStream") || strings.Contains(text, "mapToStruct")
}
