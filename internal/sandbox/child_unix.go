//go:build unix

package sandbox

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Between the server and a command stands a child of the server: emendo
// itself, started once more. It begins here, before main and before whatever
// else the program initializes, which would take three times as long as all
// that it does. So it is in every program that imports this package, tests
// included, and this package imports little.
func init() {
	if len(os.Args) == 2 && os.Args[1] == childArgument && isControl(controlFD) {
		unix.Exit(child(os.NewFile(controlFD, "control")))
	}
}

// childArgument is nothing that a user types; what makes a child is the
// socket that its server has given it.
const (
	childArgument = "\x02child of emendo\x03"
	controlFD     = 3
)

// A spec is what a child is told to do, the first message on its socket. It
// holds the command's environment, so it is never an argument.
type spec struct {
	Argv     []string
	Dir      string
	Env      []string
	Terminal bool `json:",omitempty"` // the standard input is one, and the command's to control
	Level    Level
	Profile  *Profile `json:",omitempty"`
	// Isolation is what level A has the child do first.
	Isolation *isolation `json:",omitempty"`
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

// child is the main of a child.
func child(control *os.File) int {
	unix.CloseOnExec(controlFD)
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
	return (&supervisor{spec: s, orders: d, reports: json.NewEncoder(control)}).run()
}
