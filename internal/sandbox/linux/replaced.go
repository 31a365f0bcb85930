//go:build linux

package linux

import (
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"

	"github.com/emendo-dev/emendo/internal/sandbox/process"
	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// A fileWatch ends a command when another process replaces one of the profile's files,
// as "git config" does: the kernel then removes the mount that protects the file from
// the command.
type fileWatch struct {
	profile *profile.Profile
	events  *fsnotify.Watcher
	files   map[string]os.FileInfo // as they were when the command started
	ended   sync.WaitGroup
}

// watchFiles starts to watch the profile's files. It returns nil if there are none.
// Call it before the view is made.
func watchFiles(p *profile.Profile) (r *fileWatch, err error) {
	r = &fileWatch{profile: p, files: map[string]os.FileInfo{}}
	for _, path := range p.EndIfReplaced {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			r.files[path] = info
		}
	}
	if len(r.files) == 0 {
		return nil, nil
	}
	if r.events, err = fsnotify.NewWatcher(); err != nil {
		return nil, err
	}
	for path := range r.files {
		if err := r.events.Add(filepath.Dir(path)); err != nil {
			return nil, errors.Join(err, r.events.Close())
		}
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
		path := r.replaced()
		if path == "" {
			return
		}
		if r.profile.OnReplaced != nil {
			r.profile.OnReplaced(path)
		}
		p.Abort()
	})
}

// replaced waits for a file to be replaced and returns it; empty when the watch is closed.
func (r *fileWatch) replaced() string {
	for {
		select {
		case e, open := <-r.events.Events:
			if !open || e.Op&(fsnotify.Create|fsnotify.Remove|fsnotify.Rename) != 0 && r.files[e.Name] != nil {
				return e.Name
			}
		case err := <-r.events.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				continue
			}
			for path, before := range r.files { // the events that were lost may have been about them
				if now, err := os.Lstat(path); err != nil || !os.SameFile(before, now) {
					return path
				}
			}
		}
	}
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
