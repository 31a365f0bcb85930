//go:build windows

package transcript

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// The locked byte is far past the end, because a lock on Windows keeps others from
// reading the locked range.
var lockedByte = windows.Overlapped{OffsetHigh: 1 << 30}

// lockFile locks the file for this process. It returns false if another process has
// the lock.
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
