//go:build !linux

package disk

import (
	"errors"
	"os"
)

// direct is a fast path that this system does not have.
type direct struct{}

func newDirect(*os.Root) *direct { return nil }

func (*direct) Close() error { return nil }

func (*direct) open(string, int) (*os.File, error) { return nil, errors.ErrUnsupported }

func (*direct) read(string, int64, []byte) ([]byte, error) { return nil, errors.ErrUnsupported }
