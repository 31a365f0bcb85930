//go:build !linux

package credentials

import "context"

// Ready implements [Keyring]. These systems start nothing; the limit of time ends the
// wait for a password.
func (system) Ready(context.Context, bool) error { return nil }
