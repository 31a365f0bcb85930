package main

import (
	"context"
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// dialPipe opens the named pipe that an editor listens on. It is opened for
// overlapped use, without which reading would hold up writing.
func dialPipe(_ context.Context, path string) (io.ReadWriteCloser, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_OVERLAPPED, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}
