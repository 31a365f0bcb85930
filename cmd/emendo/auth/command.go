// Package auth is the command `emendo auth`: it signs the user in to providers of models
// and out of them, and tells where credentials come from. It never shows one. It knows
// neither exit statuses nor the environment.
package auth

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/cmd/emendo/browser"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/credentials"
	"github.com/emendo-dev/emendo/cmd/emendo/google"
	"github.com/emendo-dev/emendo/cmd/emendo/provider"
	"github.com/emendo-dev/emendo/internal/redact"
)

// A Command is the command with what it works on.
type Command struct {
	Models  *provider.Models
	Model   string // that the settings choose
	Logins  credentials.Store
	Google  google.Client
	Way     http.RoundTripper // to providers
	Secrets *redact.Redactor

	Stdin  *os.File // nil: nothing is typed
	Stdout io.Writer
	Stderr io.Writer
	Open   func(address string) error // opens the user's browser; may be nil
	// Portable keeps logins in the file: the folder moves between machines, or is a test's.
	Portable bool
}

// A RefusedError means that a provider refused a key.
type RefusedError struct{ Provider, Reason string }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the key was not stored: %s refused it: %s", e.Provider, e.Reason)
}

// keyOnInput says how a key gets here: command lines are seen by others, and are stored.
const keyOnInput = "type the key when you are asked for it, or pass it on standard input"

// Commands returns the subcommands. with opens what they work on.
func Commands(with func(run func(Command) error) error) []cli.Command {
	return []cli.Command{
		{Name: "login", Args: "[PROVIDER]", Summary: "store the key of a provider, or sign in with Google", Secret: keyOnInput, Setup: func(f *flag.FlagSet) cli.Run {
			var o options
			f.BoolVar(&o.unchecked, "no-check", false, "store the key without asking the provider whether it is valid")
			f.BoolVar(&o.noBrowser, "no-browser", false, "print the address, and do not open a browser")
			f.StringVar(&o.storage, "storage", "auto", "`auto|keyring|file` where to store it")
			return func(ctx context.Context, args []string) error {
				return with(func(c Command) error { return c.login(ctx, o, first(args)) })
			}
		}},
		{Name: "logout", Args: "[PROVIDER]", Summary: "delete a stored key, or sign out of Google", Setup: func(*flag.FlagSet) cli.Run {
			return func(ctx context.Context, args []string) error {
				return with(func(c Command) error { return c.logout(ctx, first(args)) })
			}
		}},
		{Name: "status", Summary: "show where the credentials of each provider come from", Setup: func(f *flag.FlagSet) cli.Run {
			asJSON := f.Bool("json", false, "print JSON")
			return func(ctx context.Context, _ []string) error {
				return with(func(c Command) error { return c.status(ctx, *asJSON) })
			}
		}},
	}
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// Names returns what the user can sign in to.
func (c Command) Names() []string {
	return append(c.Models.Names(), provider.GoogleLogin)
}

// named returns an error for a name that the user cannot sign in to.
func (c Command) named(name string) error {
	if slices.Contains(c.Names(), name) {
		return nil
	}
	return cli.BadInput("unknown provider %q; want one of %s. Others are configured in the setting model.providers", c.Secrets.Text(name), strings.Join(c.Names(), ", "))
}

func (c Command) terminal() browser.Terminal {
	return browser.Terminal{Out: c.Stdout, Stdin: c.Stdin, Open: c.Open}
}
