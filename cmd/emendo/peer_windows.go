package main

import (
	"errors"
	"net"
)

func thisUser() int { return -1 }

// Named pipes have an access list, so only TCP comes here.
func unixPeer(*net.UnixConn) (int, error) { return 0, errors.New("not a named pipe; use --stdio") }

// tcpPeer cannot tell: this system does not say who owns a connection.
func tcpPeer(*net.TCPConn) (int, error) {
	return 0, errors.New("this system does not say who owns a TCP connection; use --stdio or --pipe")
}
