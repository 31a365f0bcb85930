package main

import (
	"errors"
	"fmt"
	"net"
)

// errPeer says that the other end of a connection is not this user's.
var errPeer = errors.New("the listener belongs to another user; it could send commands in this user's name")

// ofUser checks that the process at the other end of a connection runs as this
// user or as root.
func ofUser(c net.Conn) error {
	var uid int
	var err error
	switch c := c.(type) {
	case *net.UnixConn:
		uid, err = unixPeer(c)
	case *net.TCPConn:
		uid, err = tcpPeer(c)
	default:
		return fmt.Errorf("a connection of type %T", c)
	}
	if err != nil {
		return fmt.Errorf("find out who listens: %w", err)
	}
	if uid != 0 && uid != thisUser() {
		return errPeer
	}
	return nil
}
