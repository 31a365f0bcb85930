//go:build !linux

package process

// Conceal does nothing where a process cannot keep others of the same user from
// looking into it, or, as on macOS, where the system does so by itself.
func Conceal() {}
