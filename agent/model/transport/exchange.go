package transport

import (
	"context"
	"net/http"
)

// Exchange holds what client libraries do not pass on about one request and its
// response. It belongs to the goroutine that reads the response.
type Exchange struct {
	Status int         // of the response, 0 before there is one
	Header http.Header // of the response; nil before there is one
	Host   string      // HOST[:PORT] of the server; empty before the request
	Proxy  string      // HOST:PORT of the proxy of a failed request; empty: none

	// Finished means that the answer is complete. The generator sets it; the stream
	// is then closed soon, whatever the server still sends.
	Finished bool

	// Whole means that the response is one document and not a stream of events. That
	// of a GET request always is.
	Whole bool

	// Keep has the data of events kept in Events, before the client library reads them.
	Keep   bool
	Events [][]byte
}

type exchangeKey struct{}

// With returns a context for requests whose exchange is x. Requests without an
// exchange pass through unchanged: client libraries make them to fetch tokens.
func With(ctx context.Context, x *Exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}
