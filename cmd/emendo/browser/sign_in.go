package browser

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/emendo-dev/emendo/internal/loopback"
	"github.com/emendo-dev/emendo/internal/visible"
)

// A Terminal shows the user where to sign in, and reads what the user pastes.
type Terminal struct {
	Out   io.Writer
	Stdin *os.File                   // what the user types; nil: nothing
	Open  func(address string) error // opens the user's browser; may be nil
}

// Print prints what may contain texts of servers.
func (t Terminal) Print(format string, a ...any) {
	fmt.Fprint(t.Out, visible.Text(fmt.Sprintf(format, a...)))
}

// User returns the user who signs in to what, until stop is called.
func (t Terminal) User(what string) (u loopback.User, stop func()) {
	typed, stop := t.typed()
	return loopback.User{
		Open:   func(address, issuer string, scopes []string) { t.show(what, address, issuer, scopes) },
		Pasted: typed,
		Wrong:  func(err error) { t.Print("%s\n", err) },
	}, stop
}

// show shows the user where to sign in.
func (t Terminal) show(what, address, issuer string, scopes []string) {
	t.Print("Signing in to %s at %s, for %s.\n\n", what, issuer, cmp.Or(strings.Join(scopes, ", "), "whatever it permits by default"))
	opened := false
	if t.Open != nil {
		if err := t.Open(address); err != nil {
			t.Print("The browser cannot be opened: %v.\n", err)
		} else {
			opened = true
		}
	}
	if opened {
		t.Print("If your browser does not open it, open this address:\n\n%s\n\n", address)
	} else {
		t.Print("Open this address in a browser:\n\n%s\n\n", address)
	}
	if t.Stdin != nil {
		t.Print("If the browser is on another machine, paste here the address at which it ends.\n")
	}
}

// typed returns the lines that the user types, until stop is called.
func (t Terminal) typed() (lines <-chan string, stop func()) {
	if t.Stdin == nil {
		return nil, func() {}
	}
	typed, over := make(chan string), make(chan struct{})
	go func() { // ends with the process if nothing more is typed
		defer close(typed)
		in := bufio.NewScanner(t.Stdin) // of lines up to 64 KiB
		for in.Scan() {
			select {
			case typed <- in.Text():
			case <-over:
				return
			}
		}
		if err := in.Err(); err != nil {
			t.Print("Cannot read what you type: %v. Use the browser, or start again.\n", err)
		}
	}()
	return typed, func() { close(over) }
}
