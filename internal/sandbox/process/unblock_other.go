//go:build !linux

package process

import "os"

// unblock does nothing here: a read of a terminal blocks until the last process closes it.
func unblock(f *os.File) (*os.File, error) { return f, nil }
