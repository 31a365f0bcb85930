package proxy

import (
	"context"
	"fmt"
	"net"
	"os"
)

// ServeFile is [Serve] on a listening socket, which it always closes.
func ServeFile(ctx context.Context, socket *os.File, o Options) error {
	l, err := net.FileListener(socket) // it duplicates the socket
	socket.Close()
	if err != nil {
		return fmt.Errorf("listen for a sandbox: %w", err)
	}
	Serve(ctx, l, o)
	return nil
}
