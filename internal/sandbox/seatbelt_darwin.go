package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// ladder are the means of this system, the firmest first.
var ladder = []means{
	{level: Restricted, name: "Seatbelt", start: seatbelted, mend: "see whether /usr/bin/sandbox-exec runs outside of another sandbox"},
}

// seatbelted starts a command at level B, held by Seatbelt.
func seatbelted(ctx context.Context, c Command) (Process, error) {
	var listener *os.File
	port, outlet := 0, ""
	if c.Profile.hasOutlet() {
		var err error
		if listener, port, err = listenOnLoopback(); err != nil {
			return nil, fmt.Errorf("make a way out for a command: %w", err)
		}
		outlet = outletAddress(port)
	}
	started, err := supervised(ctx, c, spec{
		Argv: append([]string{"/usr/bin/sandbox-exec", "-p", c.Profile.seatbelt(port)}, c.Argv...), Dir: c.Dir,
		Env: c.Profile.environ(c.Env, c.Profile.Temp, outlet), Terminal: c.Streams == Terminal, Level: Restricted, Profile: c.Profile,
	}, nil)
	if listener == nil {
		return started, err
	}
	if err != nil {
		listener.Close()
		return nil, err
	}
	p, ok := started.(*process)
	if !ok {
		panic("sandbox: a supervised command is no process")
	}
	p.serve(ctx, c.Profile, listener)
	return p, nil
}

// listenOnLoopback makes a listening socket, and says on which port.
func listenOnLoopback() (*os.File, int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, 0, err
	}
	unix.CloseOnExec(fd)
	f := os.NewFile(uintptr(fd), "outlet")
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		f.Close()
		return nil, 0, err
	}
	if err := unix.Listen(fd, unix.SOMAXCONN); err != nil {
		f.Close()
		return nil, 0, err
	}
	at, err := unix.Getsockname(fd)
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	in4, ok := at.(*unix.SockaddrInet4)
	if !ok {
		f.Close()
		return nil, 0, errors.New("its address is of another kind")
	}
	return f, in4.Port, nil
}
