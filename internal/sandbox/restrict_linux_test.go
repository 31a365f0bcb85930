package sandbox

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
)

// targets are what attacks outside of files are done to.
type targets struct {
	addresses []string // of TCP, UDP, a socket file, a socket without one, a datagram socket's file, shared memory, a queue
	touched   func() string
}

// newTargets listens, and knows who has come by.
func newTargets(t *testing.T) targets {
	t.Helper()
	dir := publicTemp(t)
	came := make(chan string, 100)
	var tg targets
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
			tg.addresses = append(tg.addresses, c.LocalAddr().String())
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
		tg.addresses = append(tg.addresses, c.Addr().String())
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
	tg.addresses = append(tg.addresses, strconv.Itoa(memory), queue)
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

// withstand has one command try every attack on a sandbox, and finds that each
// is refused, but for those that are harmless in it, and that nothing outside
// has changed.
func withstand(t *testing.T, s Spawner, harmless ...string) {
	t.Helper()
	b, tg := newTestbed(t), newTargets(t)
	names := slices.Sorted(maps.Keys(attacks))
	argv := append([]string{filepath.Join(b.tools, "attacker"), b.work, b.bystands, b.secret, strconv.Itoa(os.Getpid())}, tg.addresses...)
	out, end := b.run(s, []string{"EMENDO_TEST_ATTACKS=" + strings.Join(names, ",")}, argv...)
	if end != (Exit{}) {
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
	b.unharmed()
	if who := tg.touched(); who != "" {
		t.Errorf("it has reached %s", who)
	}
}

// unharmed looks at what no command may change.
func (b *testbed) unharmed() {
	b.t.Helper()
	for name, want := range map[string]string{"outside/secret": "canary-17\n", "outside/bystander": "as it was\n", "work/.git/config": "[core]\n", "work/.git/hooks/sample": ""} {
		if got, err := os.ReadFile(filepath.Join(b.base, name)); err != nil || string(got) != want {
			b.t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	for dir, want := range map[string]int{"outside": 2, "work/.git": 2, "work/.git/hooks": 1} {
		if l, err := os.ReadDir(filepath.Join(b.base, dir)); err != nil || len(l) != want {
			b.t.Errorf("%s holds %v, %v", dir, l, err)
		}
	}
}

// levelB is a guard that has no other level.
func levelB() *Guard { return NewGuard(Options{Only: "B"}) }

func TestLevelBWithstandsAttacks(t *testing.T) {
	asEachUser(t, func(t *testing.T) { withstand(t, levelB()) })
}

// What a build does works at level B.
func TestLevelBLetsWork(t *testing.T) {
	asEachUser(t, func(t *testing.T) {
		newTestbed(t).tell(levelB(), nil, []toldLine{
			{"reads and writes in the workspace", "echo x >> sub/code.go && echo y > sub/new && rm sub/new && mkdir -p sub/a/b && mv sub/a sub/c && cat sub/code.go", "package sub\nx\n"},
			{"changes a file beside a protected one", "echo '// x' >> main.go && cat main.go", "package main\n// x\n"},
			{"reads git's folder", "cat .git/config", "[core]\n"},
			{"has a folder for temporary files", `f=$(mktemp) && echo t > "$f" && cat "$f"`, "t\n"},
			{"has caches", `mkdir -p "$XDG_CACHE_HOME/x" && echo made`, "made\n"},
			{"writes devices", "echo x >/dev/null && head -c1 /dev/zero | wc -c", "1\n"},
			{"signals its own", "sleep 60 & kill $! && wait $! 2>/dev/null; echo $?", "143\n"},
			{"has no files but the standard ones", `for f in /proc/$$/fd/*; do if test -e "$f"; then echo "${f##*/}"; fi; done`, "0\n1\n2\n"},
			{"chains programs", "printf 'b\\na\\n' | sort | head -n1", "a\n"},
			{"changes modes", "chmod 700 sub/code.go && stat -c %a sub/code.go", "700\n"},
			{"has links and locks", "ln -s code.go sub/l && flock sub/code.go head -n1 sub/l", "package sub\n"},
		}, true)
	})
}

// What level B leaves open, and docs/security.md tells.
func TestLevelBLeavesOpen(t *testing.T) {
	asEachUser(t, func(t *testing.T) {
		newTestbed(t).tell(levelB(), nil, []toldLine{
			{"sees what is outside, not what is in it", "stat -c %s ../outside/secret", "10\n"},
			{"changes the mode of what is outside", "chmod 640 ../outside/bystander; stat -c %a ../outside/bystander", "640\n"},
			{"changes the time of what is outside", "touch -c -d @1 ../outside/bystander 2>/dev/null; stat -c %Y ../outside/bystander", "1\n"},
			{"sees that other processes run", "test -e /proc/" + strconv.Itoa(os.Getpid()) + "/stat && echo seen", "seen\n"},
			{"cannot make files beside what is protected", "touch new 2>/dev/null || echo refused", "refused\n"},
		}, true)
	})
}

// Calls of an architecture whose numbers the filter does not know end a process.
func TestForeignCallsEndAProcess(t *testing.T) {
	if foreignCalls == 0 {
		return // this architecture has one set of numbers
	}
	asEachUser(t, func(t *testing.T) {
		b := newTestbed(t)
		out, end := b.run(levelB(), []string{"EMENDO_TEST_ATTACKS=" + foreignCall}, filepath.Join(b.tools, "attacker"))
		if end.Signal != unix.SIGSYS.String() {
			t.Errorf("it ended with %+v: %q", end, out)
		}
	})
}
