//go:build linux

package attacktest

import (
	"crypto/rand"
	"errors"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/sandbox"
)

// Targets are the sockets, memory and queues that are attacked.
type Targets struct {
	Addresses []string // of TCP, UDP, a socket file, a socket without one, a datagram socket's file, shared memory, a queue
	touched   func() string
}

// NewTargets opens the targets and records who reaches them.
func NewTargets(t *testing.T) Targets {
	t.Helper()
	dir := PublicTemp(t)
	came := make(chan string, 100)
	var tg Targets
	for _, l := range []struct{ network, address string }{
		{"tcp4", "127.0.0.1:0"}, {"udp4", "127.0.0.1:0"}, {"unix", filepath.Join(dir, "s")}, {"unix", "@emendo-test-" + rand.Text()}, {"unixgram", filepath.Join(dir, "d")},
	} {
		if strings.HasPrefix(l.network, "udp") || l.network == "unixgram" {
			c, err := net.ListenPacket(l.network, l.address)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			go func() { // ends with its socket
				for b := make([]byte, 16); ; {
					if _, _, err := c.ReadFrom(b); err != nil {
						return
					}
					came <- l.network
				}
			}()
			tg.Addresses = append(tg.Addresses, c.LocalAddr().String())
			continue
		}
		c, err := net.Listen(l.network, l.address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		go func() { // ends with its socket
			for {
				peer, err := c.Accept()
				if err != nil {
					return
				}
				peer.Close()
				came <- l.network
			}
		}()
		tg.Addresses = append(tg.Addresses, c.Addr().String())
	}
	memory, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = unix.SysvShmCtl(memory, unix.IPC_RMID, nil) })
	queue := "emendo-test-" + rand.Text()
	if err := openQueue(queue, unix.O_CREAT|unix.O_EXCL|unix.O_RDWR); err != nil && !errors.Is(err, unix.ENOSYS) { // which this kernel has not
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if name, err := unix.BytePtrFromString(queue); err == nil {
			_, _, _ = unix.Syscall(unix.SYS_MQ_UNLINK, uintptr(unsafe.Pointer(name)), 0, 0)
		}
	})
	tg.Addresses = append(tg.Addresses, strconv.Itoa(memory), queue)
	tg.touched = func() string {
		select {
		case who := <-came:
			return who
		default:
			return ""
		}
	}
	return tg
}

// Withstand has one command try every attack on a sandbox. It checks that each is
// refused, except the harmless ones, and that nothing outside has changed.
func Withstand(t *testing.T, s sandbox.Spawner, harmless ...string) {
	t.Helper()
	b, tg := NewTestbed(t), NewTargets(t)
	names := slices.Sorted(maps.Keys(attacks))
	argv := append([]string{filepath.Join(b.Tools, "attacker"), b.Work, b.Bystands, b.Secret, strconv.Itoa(os.Getpid())}, tg.Addresses...)
	out, end := b.Run(s, []string{"EMENDO_TEST_ATTACKS=" + strings.Join(names, ",")}, argv...)
	if end != (sandbox.Exit{}) {
		t.Errorf("it ended with %+v", end)
	}
	results := map[string]string{}
	for line := range strings.Lines(out) {
		name, result, _ := strings.Cut(strings.TrimSpace(line), ": ")
		results[name] = result
	}
	for _, name := range names {
		if !strings.HasPrefix(results[name], "refused: ") && !slices.Contains(harmless, name) {
			t.Errorf("%s: it was not refused: %q", name, results[name])
		}
	}
	b.Unharmed()
	if who := tg.touched(); who != "" {
		t.Errorf("it has reached %s", who)
	}
}
