package reach

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/emendo-dev/emendo/internal/builds"
)

// Limits bound what a command that nobody allowed may write, in bytes. The zero value is the
// usual limits.
type Limits struct {
	Most int64 // outside ignored folders of dependencies and builds; zero: 2 GiB
	Free int64 // that must stay free where it writes; zero: 1 GiB
}

// A Meter measures what a command writes. It is cheap while the disk does not fill: it looks
// at files only when less is free than before.
type Meter struct {
	profile *Profile
	limits  Limits
	began   time.Time
	disks   []disk
	next    int64 // how much less must be free before files are looked at again
}

// tick is by how much the clock of a file system may be slow.
const tick = 20 * time.Millisecond

// noise is below what others may write and remove meanwhile: what is free says nothing then.
const noise = 64 << 20

// A disk is a file system that a command may write.
type disk struct {
	dir  string
	free int64 // when the command began
}

// Meter returns a meter for a command that is about to start, or nil if somebody allowed it.
func (p *Profile) Meter(l Limits) *Meter {
	if p.before.place == nil || !p.before.terms.watched {
		return nil
	}
	if l.Most == 0 {
		l.Most = 2 << 30
	}
	if l.Free == 0 {
		l.Free = 1 << 30
	}
	m := &Meter{profile: p, limits: l, began: time.Now()}
	m.next = m.least()
	seen := map[uint64]bool{}
	for _, dir := range append(m.folders(), p.Cache) {
		if id, free, ok := diskOf(dir); ok && !seen[id] {
			seen[id] = true
			m.disks = append(m.disks, disk{dir, free})
		}
	}
	return m
}

// least is how much a command may write at any rate.
func (m *Meter) least() int64 { return min(m.limits.Most, m.limits.Free) / 16 }

// folders returns where what the command writes counts.
func (m *Meter) folders() []string {
	l := append(m.profile.before.place.allowedFolders(), m.profile.before.place.Folders...)
	if m.profile.Temp != "" {
		l = append(l, m.profile.Temp)
	}
	return l
}

// Check returns why the command must not go on, in a sentence, or "".
func (m *Meter) Check() string {
	var less int64
	short := ""
	for _, d := range m.disks {
		_, free, ok := diskOf(d.dir)
		if !ok {
			continue
		}
		gone := d.free - free
		less += max(gone, 0)
		if free < m.limits.Free && gone >= m.least() {
			short = fmt.Sprintf("Less than %s is free at %s.", Size(m.limits.Free), d.dir)
		}
	}
	if m.limits.Most >= noise && (less < m.next || less < m.limits.Most && short == "") {
		return ""
	}
	m.next = less + m.least()
	switch wrote := m.wrote(); {
	case wrote >= m.limits.Most:
		return fmt.Sprintf("It has written %s.", Size(wrote))
	case short != "" && wrote >= m.least():
		return short
	}
	return ""
}

// Extend lets the command write as much again.
func (m *Meter) Extend() {
	m.limits.Most, m.limits.Free = 2*m.limits.Most, m.limits.Free/2
}

// wrote returns how much the files that changed since the command began take on the disk.
func (m *Meter) wrote() int64 {
	place := m.profile.before.place
	var sum int64
	for _, folder := range m.folders() {
		n := 0
		_ = filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error { // skip what is gone
			if n++; n > mostFolders {
				return filepath.SkipAll
			}
			if err != nil {
				return nil //nolint:nilerr // skipped
			}
			if entry.IsDir() && path != folder && builds.Folder(entry.Name()) && (place.Ignored == nil || place.Ignored(path)) {
				return filepath.SkipDir
			}
			if !entry.Type().IsRegular() {
				return nil
			}
			if info, err := entry.Info(); err == nil {
				if changed, _ := statusOf(info); !changed.Before(m.began.Add(-tick)) {
					sum += blocksOf(info)
				}
			}
			return nil
		})
	}
	return sum
}

// Size formats a number of bytes for people.
func Size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}
