//go:build linux && !amd64 && !arm64

package sandbox

// An architecture of 0 has no filter, and so no sandbox.
const (
	architecture = 0
	foreignCalls = 0
)

var refusedHere []uintptr

var modeCallsHere []modeCall // what other architectures have besides
