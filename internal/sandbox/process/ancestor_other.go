//go:build !linux

package process

// Below reports whether a supervisor is known to be among this process's ancestors. Here
// none can be told from other processes.
func Below() bool { return false }
