package reach

import (
	"os"
	"syscall"
	"time"
)

// statusOf says when a folder was changed last, which unlike its time of
// modification no program can set, and whether it is the user's own.
func statusOf(info os.FileInfo) (changed time.Time, own bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return info.ModTime(), true
	}
	return time.Unix(s.Ctim.Unix()), int(s.Uid) == os.Geteuid()
}
