//go:build linux && !amd64 && !arm64

package linux

// An architecture of 0 has no filter, and so no sandbox.
const (
	architecture = 0
	ForeignCalls = 0
)

var RefusedHere []uintptr

var modeCallsHere []modeCall // what other architectures have besides
