//go:build windows

package transcript

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// The locked byte lies far past the end: a lock on Windows keeps others from
// reading what it covers.
var lockedByte = windows.Overlapped{OffsetHigh: 1 << 30}

// lockFile takes the file for this process; false when another has it.
func lockFile(f *os.File) (bool, error) {
	at := lockedByte
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func unlockFile(f *os.File) error {
	at := lockedByte
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &at)
}
