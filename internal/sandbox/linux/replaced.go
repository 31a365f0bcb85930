//go:build linux

package linux

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/sandbox/process"
	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// A fileWatch ends a command when another process replaces one of the profile's files,
// as "git config" does: the kernel then removes the mount that protects the file from
// the command.
type fileWatch struct {
	profile *profile.Profile
	events  *os.File
	folders map[int32]string
	files   []string
	ended   sync.WaitGroup
}

// watchFiles starts to watch the profile's files. It returns nil if there are none.
// Call it before the view is made.
func watchFiles(p *profile.Profile) (*fileWatch, error) {
	r := &fileWatch{profile: p, folders: map[int32]string{}}
	for _, path := range p.EndIfReplaced {
		if paths.IsFile(path) {
			r.files = append(r.files, path)
		}
	}
	if len(r.files) == 0 {
		return nil, nil
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	r.events = os.NewFile(uintptr(fd), "inotify")
	for _, path := range r.files {
		dir := filepath.Dir(path)
		at, err := unix.InotifyAddWatch(fd, dir, unix.IN_MOVED_TO|unix.IN_MOVED_FROM|unix.IN_CREATE|unix.IN_DELETE|unix.IN_ONLYDIR)
		if err != nil {
			r.events.Close()
			return nil, os.NewSyscallError("inotify_add_watch", err)
		}
		r.folders[int32(at)] = dir //nolint:gosec // the kernel's own type
	}
	return r, nil
}

// follow ends p when a file is replaced.
func (r *fileWatch) follow(p *process.Supervised) {
	p.OnEnd(func() {
		r.events.Close()
		r.ended.Wait()
	})
	r.ended.Go(func() {
		b := make([]byte, 4<<10)
		for {
			n, err := r.events.Read(b)
			if err != nil {
				return // closed
			}
			if path := r.replaced(b[:n]); path != "" {
				if r.profile.OnReplaced != nil {
					r.profile.OnReplaced(path)
				}
				p.Abort()
				return
			}
		}
	})
}

// replaced returns the first watched file that the events are about.
func (r *fileWatch) replaced(b []byte) string {
	for len(b) >= unix.SizeofInotifyEvent {
		e := *(*unix.InotifyEvent)(unsafe.Pointer(&b[0])) //nolint:gosec // the kernel's own layout
		end := unix.SizeofInotifyEvent + int(e.Len)
		if end > len(b) {
			return ""
		}
		name := string(bytes.TrimRight(b[unix.SizeofInotifyEvent:end], "\x00"))
		if path := filepath.Join(r.folders[e.Wd], name); e.Mask&unix.IN_Q_OVERFLOW != 0 || slices.Contains(r.files, path) {
			return path
		}
		b = b[end:]
	}
	return ""
}

// endedIfReplaced starts a command that is ended when one of the profile's files is
// replaced. If the system cannot watch more files, the command is not ended.
func endedIfReplaced(p *profile.Profile, start func() (*process.Supervised, error)) (process.Process, error) {
	r, _ := watchFiles(p) // without a watch the command runs on
	started, err := start()
	switch {
	case err != nil && r != nil:
		r.events.Close()
		return nil, err
	case err != nil:
		return nil, err
	case r != nil:
		r.follow(started)
	}
	return started, nil
}
