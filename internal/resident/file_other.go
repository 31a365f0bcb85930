//go:build !linux

package resident

// unmapFile does nothing: only Linux maps so much of a file around each address.
func unmapFile() error { return nil }
