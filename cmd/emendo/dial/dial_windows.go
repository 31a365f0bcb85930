package dial

import (
	"context"
	"errors"
	"io"
	"net"
	"os"

	"golang.org/x/sys/windows"
)

func thisUser() int { return -1 }

// Named pipes have an access list, so only TCP comes here.
func unixPeer(*net.UnixConn) (int, error) { return 0, errors.New("not a named pipe; use --stdio") }

// tcpPeer fails: this system does not tell the owner of a connection.
func tcpPeer(*net.TCPConn) (int, error) {
	return 0, errors.New("this system does not tell the owner of a TCP connection; use --stdio or --pipe")
}

// dialPipe opens the named pipe that an editor listens on. It is opened for
// overlapped use, without which reading would hold up writing.
func dialPipe(_ context.Context, path string) (io.ReadWriteCloser, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_OVERLAPPED, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}
