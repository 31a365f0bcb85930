package dial

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func thisUser() int { return os.Geteuid() }

// unixPeer asks the kernel who listened on a Unix socket.
func unixPeer(c *net.UnixConn) (int, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var failed error
	if err := raw.Control(func(fd uintptr) {
		cred, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return 0, err
	}
	if failed != nil {
		return 0, os.NewSyscallError("getsockopt", failed)
	}
	return int(cred.Uid), nil
}

// How long the editor may take to accept a connection. Until then the kernel does
// not tell its owner.
const (
	acceptTries = 400
	acceptPause = 5 * time.Millisecond
)

// tcpPeer looks the other end of a loopback connection up in the kernel's
// tables.
func tcpPeer(c *net.TCPConn) (int, error) {
	ours, theirs := c.LocalAddr().(*net.TCPAddr).AddrPort(), c.RemoteAddr().(*net.TCPAddr).AddrPort()
	for range acceptTries {
		for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} { // the latter of listeners for both
			if uid, ok, err := owner(table, theirs, ours); ok || err != nil {
				return uid, err
			}
		}
		time.Sleep(acceptPause)
	}
	return 0, errors.New("the editor did not accept the connection")
}

// owner finds the user of the socket that is bound to local and connected to
// remote, once it was accepted. See proc_net_tcp(5) for the columns.
func owner(table string, local, remote netip.AddrPort) (uid int, ok bool, err error) {
	f, err := os.Open(table)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil // no IPv6
	}
	if err != nil {
		return 0, false, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		const localColumn, remoteColumn, uidColumn, inodeColumn = 1, 2, 7, 9
		columns := strings.Fields(lines.Text())
		if len(columns) <= inodeColumn || !sameAddress(columns[localColumn], local) || !sameAddress(columns[remoteColumn], remote) || columns[inodeColumn] == "0" {
			continue
		}
		uid, err := strconv.Atoi(columns[uidColumn])
		return uid, err == nil, err
	}
	return 0, false, lines.Err()
}

// sameAddress compares an address of the kernel's tables, an IPv4 one or one
// mapped to IPv6. The table has words in the machine's byte order.
func sameAddress(column string, a netip.AddrPort) bool {
	four := a.Addr().Unmap().As4()
	word := fmt.Sprintf("%08X", binary.NativeEndian.Uint32(four[:]))
	mapped := fmt.Sprintf("%08X", binary.NativeEndian.Uint32([]byte{0, 0, 0xff, 0xff}))
	port := fmt.Sprintf(":%04X", a.Port())
	return column == word+port || column == strings.Repeat("0", 16)+mapped+word+port
}
