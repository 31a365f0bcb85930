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

// Explain implements [transport.Provider]. An error object in the middle of a stream
// without a usable code counts as a broken stream.
func (g *Generator) Explain(err error, x *transport.Exchange) *model.Error {
	var (
		apiErr  genai.APIError // a value, as the client library returns it
		authErr *auth.Error
	)
	switch {
	case errors.As(err, &apiErr):
		f := fromStream(apiErr)
		if f.Code < 400 || f.Code > 599 {
			return g.way.BrokeOff(x, f.message())
		}
		return f.classify(0, time.Now(), g.way.Line)
	case errors.As(err, &authErr):
		return &model.Error{Kind: model.Auth, Message: "Google Cloud issued no token; run gcloud auth application-default login again", Err: g.way.Clean(err)}
	}
	return nil
}

// Refuse implements [transport.Provider].
func (g *Generator) Refuse(r transport.Refusal) *model.Error {
	return parseFailure(r.Status, r.Body).classify(r.RetryAfter(), r.Time, g.way.Line)
}

// Garbled implements [transport.Provider]. The error then quotes all of the event.
func (*Generator) Garbled(err error) bool {
	text := err.Error()
	return strings.Contains(text, "iterateResponseStream") || strings.Contains(text, "mapToStruct")
}
