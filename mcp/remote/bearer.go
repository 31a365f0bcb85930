package remote

import (
	"errors"
	"net/http"

	"github.com/emendo-dev/emendo/mcp/oauth"
)

// bearer adds the token of the user's login to requests. When the server refuses it,
// the token is renewed once; when that does not help, the link ends. Nobody is asked to
// sign in.
type bearer struct {
	link  *Link
	login *oauth.Session
	next  *sender
}

// RoundTrip implements [http.RoundTripper].
func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if !sameOrigin(r.URL, b.next.origin) {
		return b.next.RoundTrip(r) // which refuses it
	}
	ctx := r.Context()
	token, err := b.login.Token(ctx)
	if err != nil {
		return nil, b.ended(err)
	}
	resp, err := b.send(r, token)
	if err != nil || !oauth.AsksForLogin(resp) {
		return b.taken(r, resp, err)
	}
	_ = resp.Body.Close()
	if token, err = b.login.Refused(ctx, token); err != nil {
		return nil, b.ended(err)
	}
	if r.Body != nil && r.Body != http.NoBody {
		if r.GetBody == nil {
			return nil, errors.New("the login was renewed; try again")
		}
		r = r.Clone(ctx)
		if r.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
	resp, err = b.send(r, token)
	if err != nil || !oauth.AsksForLogin(resp) {
		return b.taken(r, resp, err)
	}
	_ = resp.Body.Close()
	return nil, b.ended(b.login.GiveUp(ctx))
}

func (b *bearer) send(r *http.Request, token string) (*http.Response, error) {
	if token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return b.next.RoundTrip(r)
}

// taken returns the response to a request whose token the server takes. A token that
// lacks scopes ends the request alone.
func (b *bearer) taken(r *http.Request, resp *http.Response, err error) (*http.Response, error) {
	if err != nil {
		return nil, err
	}
	lacks, err := b.login.Lacks(r.Context(), resp)
	if err == nil && len(lacks) == 0 && resp.StatusCode < http.StatusBadRequest {
		err = b.login.Accepted(r.Context())
	}
	if err == nil && len(lacks) > 0 {
		err = &oauth.LackingError{Scopes: lacks}
	}
	if err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

// ended ends the link if the server needs a login.
func (b *bearer) ended(err error) error {
	if errors.Is(err, oauth.ErrLogin) {
		b.link.fail(err)
	}
	return err
}
