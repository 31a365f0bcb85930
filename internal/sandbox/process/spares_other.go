//go:build unix && !linux

package process

import (
	"io"
	"os"
)

// Spares does nothing here: each command's supervisor is started with it.
type Spares struct{}

func (*Spares) claim([3]*os.File) *waiting { return nil }

func (*Spares) prepare(*Supervision) {}

func receive(control *os.File) (io.Reader, error) { return control, nil }
