//go:build !linux && !darwin

package buffers

import "net"

// sameUser returns nil: the system does not tell, and only this user can reach the folder
// of the socket.
func sameUser(net.Conn) error { return nil }
