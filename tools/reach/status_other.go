//go:build !linux && !darwin

package reach

import (
	"os"
	"time"
)

// statusOf returns when a folder was last changed, and whether it belongs to the user.
func statusOf(info os.FileInfo) (changed time.Time, own bool) { return info.ModTime(), true }
