//go:build !linux && !darwin

package reach

import (
	"os"
	"time"
)

// statusOf says when a folder was changed last, and whether it is the user's own.
func statusOf(info os.FileInfo) (changed time.Time, own bool) { return info.ModTime(), true }
