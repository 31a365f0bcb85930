//go:build unix && !linux

package process

import "os"

// A Network does not exist here: commands have the machine's network or none.
type Network struct{}

func (*Network) launch(*Supervision, *os.File, *os.File, [3]*os.File) (*waiting, error) {
	panic("process: a network on a system without any")
}

func isOurs(int) bool { return false }

func holdNetwork(int) int { return exitNotZero }
