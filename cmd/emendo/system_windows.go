package main

import (
	"errors"

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
