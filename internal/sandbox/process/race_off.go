//go:build unix && !race

package process

// supervisorEnvironment is the whole environment of a supervisor.
var supervisorEnvironment = []string{}
