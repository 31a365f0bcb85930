package reach

import (
	"os"
	"syscall"
	"time"
)

// statusOf returns when a folder was last changed, by the time that no program can set,
// and whether it belongs to the user.
func statusOf(info os.FileInfo) (changed time.Time, own bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return info.ModTime(), true
	}
	return time.Unix(s.Ctim.Unix()), int(s.Uid) == os.Geteuid()
}
