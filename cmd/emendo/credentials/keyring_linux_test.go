package credentials_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/cmd/emendo/credentials"
)

// bus makes an address of a session bus, for this process and for the keyring.
func bus(t *testing.T, address string) credentials.Keyring {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	return credentials.System(func(name string) string {
		return map[string]string{"DBUS_SESSION_BUS_ADDRESS": address}[name]
	})
}

// Without a session bus nothing is started: a program that starts one would be found in
// the search path.
func TestNoBusIsStarted(t *testing.T) {
	dir := t.TempDir()
	mark := filepath.Join(dir, "started")
	if err := os.WriteFile(filepath.Join(dir, "dbus-launch"), []byte("#!/bin/sh\ntouch "+mark+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	for _, address := range []string{"", "autolaunch:", "unix:path=" + filepath.Join(dir, "no-bus")} {
		err := credentials.NewGuard(bus(t, address), 0).Ready(t.Context())
		if strings.HasPrefix(address, "unix:") && (err == nil || !strings.Contains(err.Error(), "no keyring is running")) {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a bus was started")
	}
}

// A bus that accepts connections and says nothing does not hold anybody up.
func TestTheBusHangs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bus")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	g := credentials.NewGuard(bus(t, "unix:path="+path), 50*time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := g.Ready(ctx); !errors.Is(err, credentials.ErrSilent) {
		t.Errorf("it is %v", err)
	}
}
