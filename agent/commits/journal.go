package commits

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/private"
)

// Limits of what is stored: of a process that has ended, and of how many commits.
const (
	keptFor    = 14 * 24 * time.Hour
	maxCommits = 1000
)

// clockSlack is by how much the clock of programs that count in seconds may be behind ours.
const clockSlack = 20 * time.Millisecond

// The endings of the two files of a process: what it notes, and what it locks as long as it runs.
const (
	notes = ".json"
	lock  = ".lock"
)

// journal is where the user's emendo processes note where they work. Each process writes its own
// file, which nobody waits for: a commit takes longer.
type journal struct {
	folder string
	log    *slog.Logger

	mu      sync.Mutex
	own     noted
	unsaved bool // the file is to be written
	lasting bool // synced, so that it is not lost with the power
	writing bool
	writes  sync.WaitGroup
	file    string   // its own, which only the goroutine that writes sets; empty until it has one
	held    *os.File // the lock
}

// noted is the content of the file of one process.
type noted struct {
	Places  map[string]place `json:"places"`  // by the path of a folder
	Commits []string         `json:"commits"` // that were made meanwhile, oldest first
}

// place is how a process works in a folder.
type place struct {
	Works int       `json:"works,omitempty"` // how many work there now
	Ended time.Time `json:"ended,omitzero"`  // when the last one ended
}

// begin notes that work in folders has begun.
func (j *journal) begin(folders []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, f := range folders {
		p := j.own.Places[f]
		p.Works++
		j.own.put(f, p)
	}
	j.save()
}

// finish notes that work in folders has ended, and which commits were made meanwhile.
func (j *journal) finish(folders []string, at time.Time, commits []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, f := range folders {
		p := j.own.Places[f]
		j.own.put(f, place{p.Works - 1, at})
	}
	j.own.add(commits)
	j.lasting = j.lasting || len(commits) > 0
	j.save()
}

func (n *noted) put(folder string, p place) {
	if n.Places == nil {
		n.Places = map[string]place{}
	}
	n.Places[folder] = p
}

func (n *noted) add(commits []string) {
	for _, c := range commits {
		if !slices.Contains(n.Commits, c) {
			n.Commits = append(n.Commits, c)
		}
	}
	n.Commits = n.Commits[max(0, len(n.Commits)-maxCommits):]
}

// save has the file written. j.mu is held.
func (j *journal) save() {
	if j.unsaved = j.folder != ""; !j.unsaved || j.writing {
		return
	}
	j.writing = true
	j.writes.Go(func() {
		for j.write() {
		}
	})
}

// write writes the file if that is to be done, and reports whether it was.
func (j *journal) write() bool {
	j.mu.Lock()
	if !j.unsaved {
		j.writing = false
		j.mu.Unlock()
		return false
	}
	content, err := json.Marshal(j.own)
	lasting := j.lasting
	j.unsaved, j.lasting = false, false
	j.mu.Unlock()
	if err == nil && j.file == "" {
		err = j.create()
	}
	if err == nil {
		err = store(j.file, content, lasting)
	}
	if err != nil {
		j.log.Debug("noting where a turn works", "err", err)
	}
	return true
}

func store(file string, content []byte, lasting bool) error {
	if lasting {
		return private.Replace(file, content)
	}
	return private.ReplaceUnsynced(file, content)
}

// create locks a new file, and removes those of processes that ended long ago.
func (j *journal) create() error {
	if err := private.Folder(j.folder); err != nil {
		return err
	}
	j.removeOld()
	file := filepath.Join(j.folder, strings.ToLower(rand.Text()[:10])+notes)
	f, err := private.OpenFile(lockOf(file), os.O_CREATE|os.O_RDWR)
	if err != nil {
		return err
	}
	if _, err := private.TryLock(f); err != nil { // it is free: nobody else knows the name
		return errors.Join(err, f.Close())
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.file, j.held = file, f
	return nil
}

func lockOf(file string) string { return strings.TrimSuffix(file, notes) + lock }

// close ends the process's notes, which stay.
func (j *journal) close() {
	j.writes.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.held != nil {
		j.held.Close()
		_ = os.Remove(lockOf(j.file)) // the next process that looks does it
		j.held = nil
	}
}

// others returns the files of other processes.
func (j *journal) others() (files []string) {
	if j.folder == "" {
		return nil
	}
	entries, _ := os.ReadDir(j.folder) // there may be none yet
	for _, e := range entries {
		if file := filepath.Join(j.folder, e.Name()); strings.HasSuffix(file, notes) && !strings.HasPrefix(e.Name(), ".") && file != j.file {
			files = append(files, file)
		}
	}
	return files
}

func (j *journal) removeOld() {
	for _, file := range j.others() {
		if fi, err := os.Stat(file); err == nil && time.Since(fi.ModTime()) > keptFor && hasEnded(file) {
			_ = os.Remove(file) // another process may have been faster
		}
	}
}

// hasEnded reports whether the process of a file has ended, and removes its lock then.
func hasEnded(file string) bool {
	f, err := private.OpenFile(lockOf(file), os.O_RDWR)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	free, err := private.TryLock(f)
	free = free && err == nil
	f.Close()
	if free {
		_ = os.Remove(lockOf(file)) // another process may have been faster
	}
	return free
}

// seen says what all processes have noted of a repository.
type seen struct {
	works   bool      // somebody works there
	ended   time.Time // when the last one ended; zero: nothing is known
	commits map[string]bool
}

// around returns what was noted of a repository by its folders, whose HEAD is a commit.
func (j *journal) around(folders []string, head string, now time.Time) seen {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := seen{commits: map[string]bool{}}
	s.add(j.own, folders)
	for _, file := range j.others() {
		var n noted
		content, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(content, &n)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil: // whatever it has noted
			if end := lastWrite(file, now); end.After(s.ended) {
				s.ended = end
			}
			continue
		}
		if n.works() && hasEnded(file) {
			n.abandon(now, head)
			if content, err := json.Marshal(n); err == nil {
				_ = store(file, content, false) // else the next one finds it
			}
		}
		s.add(n, folders)
	}
	return s
}

// lastWrite returns when the process of a file has last noted something: now, unless it has ended.
func lastWrite(file string, now time.Time) time.Time {
	if fi, err := os.Stat(file); err == nil && hasEnded(file) {
		return fi.ModTime()
	}
	return now
}

func (n *noted) works() bool {
	for _, p := range n.Places {
		if p.Works > 0 {
			return true
		}
	}
	return false
}

// abandon ends the work of a process that was killed. Nobody knows whether it made the commit
// that is found.
func (n *noted) abandon(now time.Time, head string) {
	for folder, p := range n.Places {
		if p.Works > 0 {
			n.Places[folder] = place{Ended: now}
		}
	}
	n.add([]string{head})
}

func (s *seen) add(n noted, folders []string) {
	for at, p := range n.Places {
		if !slices.ContainsFunc(folders, func(f string) bool { return paths.Within(at, f) || paths.Within(f, at) }) {
			continue
		}
		s.works = s.works || p.Works > 0
		if p.Ended.After(s.ended) {
			s.ended = p.Ended
		}
	}
	for _, c := range n.Commits {
		s.commits[c] = true
	}
}

// whose reports whether a commit is the user's, made while nobody worked in the repository, or
// one that was made while somebody did. It may be unknown.
func (s seen) whose(c *rewind.Commit) (users, somebodys bool) {
	switch {
	case s.commits[c.Hash]:
		return false, true
	case s.works || s.ended.IsZero():
		return false, false
	}
	return !c.At.Before(s.ended.Add(-clockSlack).Truncate(time.Second)), false
}
