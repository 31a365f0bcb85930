//go:build !linux

package process

// Conceal does nothing: the system either cannot hide a process from others of the same
// user or, like macOS, always does.
func Conceal() {}
