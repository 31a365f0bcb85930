package credentials

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/zalando/go-keyring"
)

// Limits of the wait for a keyring.
const (
	Patience       = 2 * time.Second  // where nobody is asked
	PromptPatience = 60 * time.Second // while the user may be typing a password
)

// The errors of keyrings.
var (
	ErrNotFound = errors.New("the keyring does not have it")
	ErrLocked   = errors.New("the keyring is locked")
	ErrSilent   = errors.New("the keyring does not answer")
)

// A Keyring keeps secrets by account. Its methods may hang.
type Keyring interface {
	// Ready returns an error if there is no keyring, or if using it would ask the user
	// for something although prompt is false.
	Ready(ctx context.Context, prompt bool) error
	Get(account string) (string, error) // ErrNotFound: there is none
	Set(account, secret string) error
	Delete(account string) error // ErrNotFound: there is none
}

// service is the name under which a keyring lists what is emendo's.
const service = "emendo"

// system is the keyring of the system.
type system struct{ env func(string) string }

// System returns the keyring of the system. Nothing is done before its first use.
func System(env func(string) string) Keyring { return system{env} }

func (system) Get(account string) (string, error) {
	secret, err := keyring.Get(service, account)
	if errors.Is(err, keyring.ErrNotFound) {
		return "", ErrNotFound
	}
	return secret, err
}

// Set stores a secret, and reads it again: the library does not report that the user
// dismissed the prompt.
func (s system) Set(account, secret string) error {
	if err := keyring.Set(service, account, secret); err != nil {
		return err
	}
	switch stored, err := s.Get(account); {
	case err != nil:
		return err
	case stored != secret:
		return errors.New("the keyring has kept something else")
	}
	return nil
}

func (system) Delete(account string) error {
	err := keyring.Delete(service, account)
	if errors.Is(err, keyring.ErrNotFound) {
		return ErrNotFound
	}
	return err
}

// A Guard limits the time that a keyring takes, and remembers what it answered. It is
// safe for concurrent use. A nil Guard has no keyring.
type Guard struct {
	keyring  Keyring
	patience time.Duration

	turn chan struct{} // held by the one call at a time

	mu    sync.Mutex
	stuck bool              // a call was given up and has not ended since
	known map[string]string // secrets by account and version
}

// NewGuard returns a guard for a keyring. patience is how long it may take where nobody
// is asked; 0: [Patience].
func NewGuard(k Keyring, patience time.Duration) *Guard {
	if patience == 0 {
		patience = Patience
	}
	return &Guard{keyring: k, patience: patience, turn: make(chan struct{}, 1), known: map[string]string{}}
}

var errNone = errors.New("this process uses no keyring")

// Ready returns an error if the keyring cannot be used now.
func (g *Guard) Ready(ctx context.Context) error {
	return g.do(ctx, false, func() error { return nil })
}

// get returns the secret of an account. version tells apart what was stored in it.
func (g *Guard) get(ctx context.Context, account, version string) (secret string, err error) {
	if g == nil {
		return "", errNone
	}
	key := account + "\n" + version
	g.mu.Lock()
	secret, ok := g.known[key]
	g.mu.Unlock()
	if ok {
		return secret, nil
	}
	found := make(chan string, 1)
	err = g.do(ctx, false, func() error {
		s, err := g.keyring.Get(account)
		found <- s
		return err
	})
	if err != nil {
		return "", err
	}
	secret = <-found
	g.mu.Lock()
	defer g.mu.Unlock()
	g.known[key] = secret
	return secret, nil
}

// do calls f once the keyring is ready. What hangs is given up, and until it has ended
// nothing else is tried.
func (g *Guard) do(ctx context.Context, prompt bool, f func() error) error {
	if g == nil {
		return errNone
	}
	limit := g.patience
	if prompt {
		limit = PromptPatience
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, ErrSilent)
	defer cancel()
	g.mu.Lock()
	stuck := g.stuck
	g.mu.Unlock()
	if stuck {
		return ErrSilent
	}
	select {
	case g.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	ended := false // guarded by mu
	done := make(chan error, 1)
	go func() { // not waited for if it hangs: neither D-Bus nor the library can be interrupted
		err := g.keyring.Ready(ctx, prompt)
		if err == nil && ctx.Err() == nil {
			err = f()
		}
		g.mu.Lock()
		ended, g.stuck = true, false
		g.mu.Unlock()
		<-g.turn
		done <- err
	}()
	select {
	case err := <-done:
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	case <-ctx.Done():
		g.mu.Lock()
		g.stuck = !ended
		g.mu.Unlock()
		return fmt.Errorf("%w within %s", context.Cause(ctx), limit)
	}
}
