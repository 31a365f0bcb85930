//go:build unix && !linux

package process

import (
	"io"
	"os"
)

// Spares are none here: a supervisor is started for each command.
type Spares struct{}

func (*Spares) take([3]*os.File) *waiting { return nil }

func (*Spares) prepare(*Supervision) {}

func receive(control *os.File) (io.Reader, error) { return control, nil }
