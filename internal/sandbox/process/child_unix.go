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

// supervisorArgument, terminalArgument and holderArgument are something that no user types. What makes a
// process a supervisor is the socket that it has inherited from its server.
const (
	supervisorArgument = "\x02child of emendo\x03"
	terminalArgument   = "\x02terminal of emendo\x03" // supervises what the user runs, see [Interactive]
	holderArgument     = "\x02network of emendo\x03"
	ControlFD          = 3
)

// Supervise runs this process as a supervisor, or as the holder of a [Network], and
// exits, if a server has started it as one; args are its arguments. confine starts
// commands that are to be confined.
func Supervise(args []string, confine Confiner) {
	if len(args) == 2 && args[1] == holderArgument && isOurs(ControlFD) {
		unix.Exit(holdNetwork(ControlFD))
	}
	if len(args) == 2 && (args[1] == supervisorArgument || args[1] == terminalArgument) && isControl(ControlFD) {
		unix.Exit(supervise(os.NewFile(ControlFD, "control"), confine))
	}
}

// A Confiner confines a command as [Supervision] specifies, and starts it by calling
// start. It runs in the command's supervisor.
type Confiner func(confinement json.RawMessage, start func() (pid int, err error)) (int, error)

// A spec is the first message on a supervisor's socket. It holds the command's
// environment, so it is never passed as an argument.
type spec struct {
	Argv []string
	Dir  string
	Env  []string
	// Terminal says that standard input becomes its controlling terminal.
	Terminal bool `json:",omitempty"`
	// Confinement is for the [Confiner]; without it the command is not confined.
	Confinement json.RawMessage `json:",omitempty"`
}

// An order is a later message to a supervisor. End of file on the socket is an order to
// kill with [lastGrace].
type order struct {
	Kill time.Duration
	// Pause stops all processes until Resume.
	Pause, Resume bool `json:",omitempty"`
}

// A report is a message from a supervisor. End of file means that it has ended,
// together with everything that it could end.
type report struct {
	PID    int    `json:",omitempty"` // of the command, when it has started
	Error  string `json:",omitempty"` // why it was not started
	Exit   *Exit  `json:",omitempty"` // how it ended
	Killed bool   `json:",omitempty"` // the order has been carried out
	Ended  []int  `json:",omitempty"` // processes that it ended
	Left   []int  `json:",omitempty"` // processes that it could not end
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
	case err == io.EOF: // the server needs no supervisor any more
		return 0
	case err != nil:
		fmt.Fprintln(os.Stderr, "emendo: reading what to start:", err)
		return 1
	}
	return (&supervisor{spec: s, confine: confine, orders: d, reports: json.NewEncoder(control)}).run()
}
