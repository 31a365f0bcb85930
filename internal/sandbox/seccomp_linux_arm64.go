package sandbox

import "golang.org/x/sys/unix"

const (
	architecture = unix.AUDIT_ARCH_AARCH64
	foreignCalls = 0
)

var refusedHere []uintptr // there are none that only this architecture has

var modeCallsHere []modeCall // what other architectures have besides
