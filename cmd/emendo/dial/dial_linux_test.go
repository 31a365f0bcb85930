package dial

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAListenerOfAnotherUserIsRefused: it would be obeyed like the editor.
func TestAListenerOfAnotherUserIsRefused(t *testing.T) {
	for name, network := range map[string]string{"a port": "tcp4", "a port of both protocols": "tcp", "a pipe": "unix"} {
		t.Run(name, func(t *testing.T) {
			address := ":0"
			if network == "unix" {
				address = filepath.Join(t.TempDir(), "s")
			}
			var lc net.ListenConfig
			l, err := lc.Listen(t.Context(), network, address)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					t.Cleanup(func() { c.Close() })
				}
			}()
			to := l.Addr().String()
			if a, ok := l.Addr().(*net.TCPAddr); ok {
				network, to = "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(a.Port))
			}
			c, err := net.Dial(network, to)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := ofUser(c); err != nil {
				t.Errorf("one of this user's is refused: %v", err)
			}
		})
	}
	if os.Geteuid() != 0 {
		return // only root can listen as another user
	}
	t.Run("another user's", func(t *testing.T) {
		port, accepted := make(chan int), make(chan struct{})
		go listenAs(t, 65534, port, accepted)
		c, err := net.Dial("tcp4", "127.0.0.1:"+strconv.Itoa(<-port))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		<-accepted
		if err := ofUser(c); !errors.Is(err, ErrOtherUser) {
			t.Errorf("it is not refused: %v", err)
		}
	})
}

// listenAs accepts one connection as another user. The thread that became that
// user ends with the goroutine, which never unlocks it.
func listenAs(t *testing.T, uid uintptr, port chan<- int, accepted chan<- struct{}) {
	defer close(accepted)
	defer close(port)
	runtime.LockOSThread()
	const unchanged = ^uintptr(0)
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, unchanged, uid, unchanged); errno != 0 {
		t.Error(errno)
		return
	}
	l, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Error(err)
		return
	}
	t.Cleanup(func() { unix.Close(l) })
	if err := errors.Join(unix.Bind(l, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), unix.Listen(l, 1)); err != nil {
		t.Error(err)
		return
	}
	at, err := unix.Getsockname(l)
	if err != nil {
		t.Error(err)
		return
	}
	port <- at.(*unix.SockaddrInet4).Port
	c, _, err := unix.Accept(l)
	if err != nil {
		t.Error(err)
		return
	}
	t.Cleanup(func() { unix.Close(c) })
}
