//go:build unix

package process

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// childArgument is nothing that a user types; what makes a child is the
// socket that its server has given it.
const (
	childArgument = "\x02child of emendo\x03"
	ControlFD     = 3
)

// Supervise turns this process into a supervisor and ends it, if a server has
// started it as one; args are its arguments. confine starts the commands that are
// to be confined.
func Supervise(args []string, confine Confiner) {
	if len(args) == 2 && args[1] == childArgument && isControl(ControlFD) {
		unix.Exit(supervise(os.NewFile(ControlFD, "control"), confine))
	}
}

// A Confiner confines a command as a server has specified in the [Supervision] of
// a command, and starts it by start. It runs in the command's supervisor.
type Confiner func(confinement json.RawMessage, start func() (pid int, err error)) (int, error)

// A spec is the first message on a supervisor's socket. It holds the command's
// environment, so it is never passed as an argument.
type spec struct {
	Argv     []string
	Dir      string
	Env      []string
	Terminal bool `json:",omitempty"` // the standard input is one, and the command's to control
	// Confinement is for the [Confiner]; without it the command is not confined.
	Confinement json.RawMessage `json:",omitempty"`
}

// An order is what a child is told later. The end of the socket is one to kill
// with the usual grace.
type order struct {
	Kill time.Duration
}

// A report is what a child tells. The end of the socket says that it has ended,
// and with it everything that it could end.
type report struct {
	PID    int    `json:",omitempty"` // the command was started
	Error  string `json:",omitempty"` // it was not
	Exit   *Exit  `json:",omitempty"` // it has ended
	Killed bool   `json:",omitempty"` // the order is carried out:
	Ended  []int  `json:",omitempty"` // these were ended by it
	Left   []int  `json:",omitempty"` // these could not be
}

// supervise is the main function of a supervisor.
func supervise(control *os.File, confine Confiner) int {
	unix.CloseOnExec(ControlFD)
	words, err := receive(control)
	if err != nil {
		fmt.Fprintln(os.Stderr, "emendo: reading what to start:", err)
		return 1
	}
	var s spec
	d := json.NewDecoder(words)
	switch err := d.Decode(&s); {
	case err == io.EOF: // there is nothing to start any more
		return 0
	case err != nil:
		fmt.Fprintln(os.Stderr, "emendo: reading what to start:", err)
		return 1
	}
	return (&supervisor{spec: s, confine: confine, orders: d, reports: json.NewEncoder(control)}).run()
}
