package main

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// keepPipes does nothing: writing to a closed pipe is already an error.
func keepPipes() {}

func isBrokenPipe(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}

func isDiskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

// runs reports whether there is a process with that ID.
func runs(pid int) bool {
	p, err := os.FindProcess(pid) // fails if there is none
	if err != nil {
		return false
	}
	_ = p.Release() // only its existence matters
	return true
}
