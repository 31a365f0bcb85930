package credentials

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/godbus/dbus/v5"
)

// The Secret Service of freedesktop.org.
const (
	secrets     = "org.freedesktop.secrets"
	secretsPath = "/org/freedesktop/secrets"
	login       = dbus.ObjectPath(secretsPath + "/collection/login")
	standard    = dbus.ObjectPath(secretsPath + "/aliases/default")
)

// Ready implements [Keyring]. The library would start a bus where there is none, and
// wait without end for a password that nobody can type; so this looks first, on a
// connection that can be closed.
func (s system) Ready(ctx context.Context, prompt bool) error {
	if address := s.env("DBUS_SESSION_BUS_ADDRESS"); (address == "" || address == "autolaunch:") && !userBus() {
		return errors.New("no keyring is running: there is no session bus")
	}
	bus, err := dbus.SessionBusPrivateNoAutoStartup(dbus.WithContext(ctx))
	if err != nil {
		return fmt.Errorf("no keyring is running: the session bus cannot be reached: %w", err)
	}
	defer bus.Close()
	if err := bus.Auth(nil); err != nil {
		return fmt.Errorf("no keyring is running: the session bus refuses emendo: %w", err)
	}
	if err := bus.Hello(); err != nil {
		return fmt.Errorf("no keyring is running: the session bus does not work: %w", err)
	}
	var runs bool
	if err := bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, secrets).Store(&runs); err != nil {
		return fmt.Errorf("look for a keyring: %w", err)
	}
	seen := s.env("DISPLAY") != "" || s.env("WAYLAND_DISPLAY") != ""
	if !runs {
		if !seen {
			return errors.New("no keyring is running")
		}
		if err := bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.StartServiceByName", 0, secrets, uint32(0)).Err; err != nil {
			return fmt.Errorf("no keyring is running: %w", err)
		}
	}
	return unlocked(ctx, bus, prompt && seen)
}

// unlocked returns an error if the collection that the library uses is locked or does not
// exist.
func unlocked(ctx context.Context, bus *dbus.Conn, prompt bool) error {
	property := func(path dbus.ObjectPath, face, name string, into any) error {
		var v dbus.Variant
		if err := bus.Object(secrets, path).CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, "org.freedesktop.Secret."+face, name).Store(&v); err != nil {
			return err
		}
		return v.Store(into)
	}
	var all []dbus.ObjectPath
	if err := property(secretsPath, "Service", "Collections", &all); err != nil {
		return fmt.Errorf("the keyring does not work: %w", err)
	}
	path := standard
	if slices.Contains(all, login) {
		path = login
	}
	var locked bool
	if err := property(path, "Collection", "Locked", &locked); err != nil {
		return fmt.Errorf("the keyring has no collection for passwords: %w", err)
	}
	if locked && !prompt {
		return ErrLocked
	}
	return nil
}

// userBus reports whether the user's session has a bus where the library looks for it.
func userBus() bool {
	dir := filepath.Join("/run/user", strconv.Itoa(os.Getuid()))
	return slices.ContainsFunc([]string{"bus", "dbus-session"}, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	})
}
