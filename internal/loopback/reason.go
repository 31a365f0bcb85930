package loopback

import (
	"errors"
	"fmt"
	"net/url"

	"golang.org/x/oauth2"

	"github.com/emendo-dev/emendo/internal/visible"
)

// Reason returns why a request to an authorization server failed, without its address and
// without the body of the response.
func Reason(err error) error {
	shown := func(s string) string { return visible.ShortLine(s, 200) }
	if e, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		switch {
		case e.ErrorCode == "":
			return fmt.Errorf("it answered %s", e.Response.Status)
		case e.ErrorDescription == "":
			return fmt.Errorf("it answered %s", shown(e.ErrorCode))
		}
		return fmt.Errorf("it answered %s: %s", shown(e.ErrorCode), shown(e.ErrorDescription))
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}
