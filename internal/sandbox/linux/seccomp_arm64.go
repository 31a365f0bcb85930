//go:build linux

package linux

import "golang.org/x/sys/unix"

const (
	architecture = unix.AUDIT_ARCH_AARCH64
	ForeignCalls = 0
)

var RefusedHere []uintptr // there are none that only this architecture has

var modeCallsHere []modeCall // what other architectures have besides
