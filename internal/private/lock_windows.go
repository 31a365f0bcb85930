//go:build windows

package private

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// The locked byte is far past the end, because a lock on Windows keeps others from
// reading the locked range.
var lockedByte = windows.Overlapped{OffsetHigh: 1 << 30}

// TryLock locks a file until it is closed. It returns false if the file is locked
// already, be it in this process.
func TryLock(f *os.File) (bool, error) {
	at := lockedByte
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// Unlock releases the lock of [TryLock].
func Unlock(f *os.File) error {
	at := lockedByte
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &at)
}
