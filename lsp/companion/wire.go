package companion

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The notifications of the protocol.
const (
	contextUpdate = "ide/contextUpdate"
	diffAccepted  = "ide/diffAccepted"
	diffRejected  = "ide/diffRejected"
)

// authorized reports whether a request carries the token.
func authorized(r *http.Request, token string) bool {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	want, got := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(strings.TrimSpace(given)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

// notify sends a notification to every program that is connected. One that does not
// listen is skipped.
func (s *service) notify(ctx context.Context, method string, params any) {
	raw, err := json.Marshal(params)
	if err != nil {
		panic(err) // strings, numbers and bools
	}
	s.mu.Lock()
	all := make([]*session, 0, len(s.sessions))
	for _, x := range s.sessions {
		all = append(all, x)
	}
	s.mu.Unlock()
	for x := range slices.Values(all) {
		if err := x.wire.Write(ctx, &jsonrpc.Request{Method: method, Params: raw}); err != nil {
			s.c.log.Debug("companion: notification not sent", "method", method, "error", err)
		}
	}
}
