package linux_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
)

// inSession starts commands of a session.
type inSession struct {
	sandbox.Spawner
	session string
	more    func(*sandbox.Profile)
}

func (s inSession) Start(ctx context.Context, c sandbox.Command) (sandbox.Process, error) {
	c.Profile.Session = s.session
	if s.more != nil {
		s.more(c.Profile)
	}
	return s.Spawner.Start(ctx, c)
}

// session returns the name of a new session, which ends with the test.
func session(t *testing.T) string {
	t.Helper()
	name := t.Name() + fmt.Sprint(time.Now().UnixNano())
	t.Cleanup(func() { sandbox.EndSession(name) })
	return name
}

// serve starts a server in the background and returns its port.
func serve(t *testing.T, b *attacktest.Testbed, s sandbox.Spawner) (p sandbox.Process, port string) {
	t.Helper()
	p, err := s.Start(t.Context(), sandbox.Command{
		Argv: []string{filepath.Join(b.Tools, "attacker"), b.Work}, Dir: b.Work, Env: []string{"EMENDO_TEST_ATTACKS=" + attacktest.Serve}, Profile: b.Profile(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Kill(0) })
	line, err := bufio.NewReader(p.Output()).ReadString('\n')
	if err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	return p, strings.TrimSpace(line)
}

const get = "exec 3<>/dev/tcp/127.0.0.1/%s && cat <&3"

func TestCommandsOfASessionReachEachOthersServers(t *testing.T) {
	attacktest.AsEachUser(t, func(t *testing.T) {
		for means, start := range attacktest.MeansOfA {
			t.Run(means, func(t *testing.T) {
				b := attacktest.NewTestbed(t)
				own := inSession{start, session(t), nil}
				_, port := serve(t, b, own)
				for range 2 {
					if out, end := b.Shell(own, fmt.Sprintf(get, port)); out != "served\n" || end != (sandbox.Exit{}) {
						t.Errorf("a later command of the session: got %q, %+v", out, end)
					}
				}
				for who, other := range map[string]sandbox.Spawner{"another session": inSession{start, session(t), nil}, "a command without a session": start} {
					if out, _ := b.Shell(other, fmt.Sprintf(get, port)); !strings.Contains(out, "refused") {
						t.Errorf("%s: got %q", who, out)
					}
				}
				if out, _ := b.Shell(own, "(exec 3<>/dev/tcp/93.184.215.14/80) 2>&1"); !strings.Contains(out, "unreachable") {
					t.Errorf("outside: got %q", out)
				}
			})
		}
	})
}

// A command that was granted hosts has a way out that no other command of the session
// can use.
func TestNoCommandUsesTheGrantOfAnother(t *testing.T) {
	attacktest.AsEachUser(t, func(t *testing.T) {
		for means, start := range attacktest.MeansOfA {
			t.Run(means, func(t *testing.T) {
				b := attacktest.NewTestbed(t)
				name := session(t)
				granted := inSession{start, name, func(p *sandbox.Profile) {
					p.Network.Hosts = []string{"good.example"}
					p.Outlet = func(ctx context.Context, w sandbox.WayOut) { serveOutlet(ctx, w.Proxy, w.Key) }
				}}
				const ask = `printf 'GET / HTTP/1.0\r\nProxy-Authorization: %s\r\n\r\n' "$key" >&3; head -n1 <&3`
				p, err := granted.Start(t.Context(), sandbox.Command{
					Argv: []string{"/bin/bash", "-c", `exec 3<>/dev/tcp/127.0.0.1/${http_proxy##*:}; key=${http_proxy#http://emendo:}; key=${key%@*}; ` + ask + `; echo "${http_proxy##*:}"; sleep 600`},
					Dir:  b.Work, Env: []string{"PATH=/usr/bin:/bin"}, Profile: b.Profile(),
				})
				if err != nil {
					t.Fatal(err)
				}
				defer p.Kill(0)
				out := bufio.NewReader(p.Output())
				if line, err := out.ReadString('\n'); !strings.Contains(line, "200") {
					t.Fatalf("the command itself: got %q, %v", line, err)
				}
				port, err := out.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				port = strings.TrimSpace(port)
				other := inSession{start, name, nil}
				attack := `exec 3<>/dev/tcp/127.0.0.1/` + port + ` || exit; key=guess; ` + ask + `; cat /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | grep -c proxy`
				if got, _ := b.Shell(other, attack); !strings.HasPrefix(got, "HTTP/1.0 407") || !strings.HasSuffix(got, "\n0\n") {
					t.Errorf("another command: got %q", got)
				}
			})
		}
	})
}

// serveOutlet answers whoever knows the key.
func serveOutlet(ctx context.Context, f *os.File, key string) {
	l, err := net.FileListener(f)
	f.Close()
	if err != nil {
		return
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != key {
			w.WriteHeader(http.StatusProxyAuthRequired)
		}
	})}
	stop := context.AfterFunc(ctx, func() { s.Close() })
	defer stop()
	_ = s.Serve(l)
}

// The network of a session goes with it, and a command starts all the same when the
// process that held the network was killed.
func TestNetworkOfASessionEnds(t *testing.T) {
	attacktest.AsEachUser(t, func(t *testing.T) {
		for means, start := range attacktest.MeansOfA {
			t.Run(means, func(t *testing.T) {
				b := attacktest.NewTestbed(t)
				name := session(t)
				own := inSession{start, name, nil}
				if out, _ := b.Shell(own, "echo one"); out != "one\n" {
					t.Fatalf("got %q", out)
				}
				for _, pid := range holders(t) {
					_ = unix.Kill(pid, unix.SIGKILL)
				}
				for range 2 { // the first may find a spare supervisor
					if out, _ := b.Shell(own, "echo two"); out != "two\n" {
						t.Errorf("after its holder was killed: got %q", out)
					}
				}
				if len(holders(t)) == 0 {
					t.Error("no process holds the network")
				}
				sandbox.EndSession(name)
				if left := holders(t); len(left) > 0 {
					t.Errorf("after the session's end there are %v", left)
				}
			})
		}
	})
}

// holders returns the processes that hold networks and come from this one.
func holders(t *testing.T) []int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var l []int
	for _, path := range stats {
		var pid int
		if _, err := fmt.Sscanf(path, "/proc/%d/", &pid); err != nil {
			continue
		}
		if text, err := os.ReadFile(path); err == nil && strings.HasSuffix(string(text), "\x02network of emendo\x03\x00") && descends(pid) {
			l = append(l, pid)
		}
	}
	return l
}

func descends(pid int) bool {
	for pid > 1 {
		if pid == os.Getpid() {
			return true
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return false
		}
		f := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if pid, err = strconv.Atoi(f[1]); err != nil {
			return false
		}
	}
	return false
}
