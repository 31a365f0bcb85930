package sandbox

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A replacing ends a command when somebody else puts another file in the place of
// one of git's settings: with that the kernel takes the mount away that kept it from
// the command. Other processes do this by any "git config".
type replacing struct {
	profile *Profile
	events  *os.File
	folders map[int32]string
	files   []string
	ended   sync.WaitGroup
}

// watchSettings begins to look at the settings in git's folders that a command may
// write; nil, when there are none. It does so before the command's view is made.
func watchSettings(p *Profile) (*replacing, error) {
	r := &replacing{profile: p, folders: map[int32]string{}}
	for _, path := range p.before.sealed {
		if isFile(path) {
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

// follow ends the process when a file is replaced, until the process is ended.
func (r *replacing) follow(p *process) {
	after := p.after
	p.after = func() {
		r.events.Close()
		r.ended.Wait()
		if after != nil {
			after()
		}
	}
	r.ended.Go(func() {
		b := make([]byte, 4<<10)
		for {
			n, err := r.events.Read(b)
			if err != nil {
				return // it was closed
			}
			if path := r.replaced(b[:n]); path != "" {
				r.profile.replaced.add(path)
				_ = p.parent.Kill()                                   // with which a namespace of our own ends at once
				_ = json.NewEncoder(p.control).Encode(order{Kill: 0}) // and another one soon
				return
			}
		}
	})
}

// replaced is the first file that events tell of.
func (r *replacing) replaced(b []byte) string {
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

// followed starts a command that is ended when a file of git's settings, which it is
// kept from, is replaced. Where the system watches no more files, the settings are
// looked at when the command has ended, and not before.
func followed(p *Profile, start func() (Process, error)) (Process, error) {
	r, _ := watchSettings(p) // as said
	started, err := start()
	if r == nil {
		return started, err
	}
	if held, ok := started.(*process); ok && err == nil {
		r.follow(held)
	} else {
		r.events.Close()
	}
	return started, err
}
