//go:build unix

package dial

import (
	"context"
	"io"
	"net"
)

// dialPipe connects to the Unix socket that an editor listens on.
func dialPipe(ctx context.Context, path string) (io.ReadWriteCloser, error) {
	var d net.Dialer
	return d.DialContext(ctx, "unix", path)
}
