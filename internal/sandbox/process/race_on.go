//go:build unix && race

package process

// supervisorEnvironment is the whole environment of a supervisor. A program with the
// race detector sleeps for a second before it ends, which would add that second to each
// command of a test.
var supervisorEnvironment = []string{"GORACE=atexit_sleep_ms=10"}
