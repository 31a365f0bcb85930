package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/secret"
)

// What is copied before a command runs, in bytes: one file that git does not have,
// and all of them together, those that git ignores apart from the others.
const (
	MaxFile = 1 << 20
	MaxAll  = 200 << 20
)

// maxNames is how many files that git does not have a folder may hold to be
// watched.
const maxNames = 50_000

// Gaps: where the changes of a command are not recorded. The text of gapUnended
// is in stored journals, where it is compared.
const (
	gapElsewhere = "a command ran: changes outside the workspace folders, in ignored folders of dependencies and builds, in .git, in nested repositories and in files that git is told to skip are not recorded"
	gapUnended   = "emendo ended while a command ran: what it changed is not known"
	gapLarge     = "a command changed it, and it is larger than 1 MiB"
	gapFull      = "a command changed it, and more than 200 MiB would have had to be copied"
	gapMany      = "a command ran in a folder with more than 50,000 files that git does not have: what it changed there is not recorded"
	gapNew       = "it is no longer ignored, or is older than the command: whether a command made it is not known"
	gapKind      = "a command changed it, and it is not a regular file or cannot be read"
	gapName      = "a command changed it, and its name is not valid UTF-8"
	gapSecret    = "a command changed it, and it has the name of a file with secrets, which are not copied"
	gapEnds      = "a command changed it, and git ignores its line endings: which ones it had is not known"
)

// Watch finds out what the commands of one turn change.
type Watch struct {
	journal  *Journal
	turn     string
	tree     *disk.Tree
	recorded map[gapOf]bool // gaps that are in the journal
	most     int            // files of a folder to keep in memory
}

// gapOf is a gap of a file.
type gapOf struct {
	name string
	lost bool
}

// Watch returns a Watch of the folders of a tree for a turn.
func (j *Journal) Watch(turn string, tree *disk.Tree) *Watch {
	return &Watch{journal: j, turn: turn, tree: tree, recorded: map[gapOf]bool{}, most: maxPresent}
}

// look is a file as it was seen.
type look struct {
	size    int64 // negative: unknown
	time    time.Time
	at      time.Time // when its bytes were read
	mode    fs.FileMode
	regular bool
	state   State  // when gap is empty
	ends    ends   // its line endings
	gap     string // why its bytes are not stored
	git     bool   // it is from git, which knows only whether a file is executable
	loose   bool   // and git ignores its line endings
}

// ends are the kinds of line endings in a file.
type ends struct{ lf, crlf bool }

func endsOf(data []byte) ends {
	n, crlf := bytes.Count(data, []byte("\n")), bytes.Count(data, []byte("\r\n"))
	return ends{lf: n > crlf, crlf: crlf > 0}
}

func (l look) same(o look) bool {
	return l.gap == "" && o.gap == "" && l.state == o.state || l.gap != "" && l.size == o.size && l.time.Equal(o.time)
}

// there reports whether anything was there.
func (l look) there() bool { return l.gap != "" || l.state.Hash != "" }

// holds reports whether a file that now looks like that may still hold all it had.
func (l look) holds(now look) bool {
	return now.regular && (l.regular || l.size < 0) && now.size >= l.size
}

// runnable are the permission bits that make a file executable.
const runnable = 0o111

// beside fills in the permissions that a file from git had on disk, as far as its
// present ones tell. Git makes its files writable.
func (l look) beside(now look) look {
	m := now.state.Mode
	if !l.git || m == 0 {
		return l
	}
	m |= 0o200
	if m&runnable == 0 {
		m |= m & 0o444 >> 2 & l.state.Mode
	}
	l.state.Mode = m &^ (runnable &^ l.state.Mode)
	return l
}

// View is the state of the folders before a command.
type View struct {
	began time.Time
	roots []rootView
	files map[string]look // those that are copied, and those that would be but for a gap
}

type rootView struct {
	dir  disk.Path
	repo *repository // nil: every file is in files
	was  *listing
	gap  string // why the folder is not watched
}

// sizes are the bytes of the copies so far.
type sizes struct{ files, ignored int64 }

// Before records the state of the folders before a command runs.
func (w *Watch) Before(ctx context.Context) (*View, error) {
	v := &View{began: time.Now(), files: map[string]look{}}
	var begun []Entry
	var copied sizes
	for _, folder := range w.tree.Folders() {
		r, err := w.view(ctx, folder)
		if err != nil {
			return nil, fmt.Errorf("recording what a command may change: %w", err)
		}
		for _, rel := range r.was.names {
			if err := w.keep(ctx, v, r.dir.Join(rel), &copied.files); err != nil {
				return nil, err
			}
		}
		for _, rel := range r.was.ignored {
			if err := w.keep(ctx, v, r.dir.Join(rel), &copied.ignored); err != nil {
				return nil, err
			}
		}
		v.roots = append(v.roots, r)
		begun = append(begun, Entry{Turn: w.turn, Name: r.dir.Abs, Gap: gapUnended})
	}
	return v, w.journal.Add(begun...)
}

// view lists a folder.
func (w *Watch) view(ctx context.Context, folder string) (r rootView, err error) {
	if r.dir, err = w.tree.Resolve(folder); err != nil {
		return r, err
	}
	if r.repo, err = open(ctx, w.journal.git, r.dir.Abs); err != nil {
		return r, err
	}
	if r.was, err = list(ctx, w.tree, r.dir, r.repo, w.most); err == nil && len(r.was.names) > maxNames {
		r.was.names, r.gap = nil, gapMany
	}
	return r, err
}

// keep adds a file to a view.
func (w *Watch) keep(ctx context.Context, v *View, p disk.Path, size *int64) error {
	l, err := w.look(ctx, p, size)
	v.files[p.Abs] = l
	return err
}

// measure looks at a file without reading it. size is the sum of what is copied. It reports
// whether the file can be copied; otherwise the look has a gap, or the file does not exist.
func measure(tree *disk.Tree, p disk.Path, size *int64) (l look, copied bool) {
	fi, err := tree.Stat(p)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, disk.ErrNotDir) {
		return look{}, false
	}
	if err != nil {
		return unkept(p.Abs), false // it becomes a gap
	}
	l = look{size: fi.Size(), time: fi.ModTime(), mode: fi.Mode().Perm(), regular: fi.Mode().IsRegular()}
	switch {
	case !fi.Mode().IsRegular():
		l.gap = gapKind
	case secret.Named(p.Rel):
		l.gap = gapSecret
	case l.size > MaxFile:
		l.gap = gapLarge
	case *size+l.size > MaxAll:
		l.gap = gapFull
	}
	if l.gap == "" {
		*size += l.size
	}
	return l, l.gap == ""
}

// look stores a file's bytes, unless they were stored at an earlier look of the session and
// the file has not changed since.
func (w *Watch) look(ctx context.Context, p disk.Path, size *int64) (look, error) {
	l, copied := measure(w.tree, p, size)
	if !copied {
		return l, nil
	}
	if k, ok := w.journal.seen.unchanged(p.Abs, l); ok && w.journal.has(k.state.Hash, k.size) {
		l.state, l.ends = State{k.state.Hash, l.mode}, k.ends
		return l, nil
	}
	l.at = time.Now()
	data, err := w.tree.ReadBytes(ctx, p, MaxFile)
	if ctx.Err() != nil {
		return l, context.Cause(ctx)
	}
	if err != nil {
		l.gap = gapKind
		return l, nil //nolint:nilerr // it becomes a gap
	}
	hash, err := w.journal.Put(data)
	if err != nil {
		return l, err
	}
	l.state, l.ends = State{hash, l.mode}, endsOf(data)
	w.journal.seen.add(p.Abs, l)
	return l, nil
}

// A seen is the last look at each file that was copied, by its absolute path. The zero value
// has none.
type seen struct {
	mu   sync.Mutex
	last map[string]look
}

// unchanged returns the last look at a file, and false if the file may have changed since: one
// that had just been written may have been written again within the same tick of the disk's
// clock.
func (s *seen) unchanged(name string, now look) (look, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.last[name]
	return k, ok && k.size == now.size && k.time.Equal(now.time) && k.at.Sub(k.time) > clockSlack
}

func (s *seen) add(name string, l look) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || len(s.last) > 4*maxNames {
		s.last = map[string]look{}
	}
	s.last[name] = l
}

// unkept looks at what is not a file of the workspace, such as a link, to notice
// that it changes.
func unkept(name string) look {
	l := look{gap: gapKind}
	if fi, err := os.Lstat(name); err == nil {
		l.size, l.time = fi.Size(), fi.ModTime()
	}
	return l
}

// Changes are what a command changed.
type Changes struct {
	// Removed are files of which there is no copy, as absolute paths, at most [maxGone] of a
	// folder. More: there are others.
	Removed []string
	More    bool
	// Known are the changes of files whose bytes are known before and after.
	Known []Entry
}

// After adds to the journal what has changed since v, and returns it.
func (w *Watch) After(ctx context.Context, v *View) (c Changes, err error) {
	var out []Entry
	var copied sizes
	for _, r := range v.roots {
		if r.gap != "" {
			out = append(out, Entry{Turn: w.turn, Name: r.dir.Abs, Gap: r.gap, Lost: true})
			continue
		}
		l, err := w.changed(ctx, v, r, &copied)
		if err != nil {
			l = []Entry{{Turn: w.turn, Name: r.dir.Abs, Gap: fmt.Sprintf("a command ran, and what it changed could not be determined: %v", err), Lost: true}}
		}
		out = append(out, Entry{Turn: w.turn, Name: r.dir.Abs, Gap: gapElsewhere}) // it replaces gapUnended
		out = append(out, l...)
		for _, e := range l {
			c.More = c.More || e.Gap == gapGoneMore
			if e.Gap == "" {
				c.Known = append(c.Known, e)
			}
			if _, err := os.Lstat(e.Name); e.Lost && errors.Is(err, fs.ErrNotExist) {
				c.Removed = append(c.Removed, e.Name)
			}
		}
	}
	return c, w.journal.Add(out...)
}

// changed compares one folder with its view.
func (w *Watch) changed(ctx context.Context, v *View, r rootView, copied *sizes) ([]Entry, error) {
	if r.repo != nil {
		if err := r.repo.renew(ctx); err != nil {
			return nil, err
		}
	}
	now, err := list(ctx, w.tree, r.dir, r.repo, w.most)
	if err != nil {
		return nil, err
	}
	was, ignored, err := w.was(ctx, v, r, now)
	if err != nil {
		return nil, err
	}
	var out []Entry
	if len(now.names) > maxNames {
		out = append(out, Entry{Turn: w.turn, Name: r.dir.Abs, Gap: gapMany})
	}
	var made []int // indexes of new files in out
	rules := false // the rules of what is ignored have changed
	for _, name := range slices.Sorted(maps.Keys(was)) {
		now := unkept(name)
		if p, err := w.tree.Resolve(name); err == nil && p.Abs == name {
			size := &copied.files
			if ignored[name] {
				size = &copied.ignored
			}
			if now, err = w.look(ctx, p, size); err != nil {
				return nil, err
			}
		}
		e, changed := w.entry(v, name, was[name], now)
		switch {
		case !changed, e.Gap != "" && w.recorded[gapOf{name, e.Lost}]:
			continue
		case e.Gap != "":
			w.recorded[gapOf{name, e.Lost}] = true
		case isRules(name):
			rules = true
		case e.Before.Hash == "":
			made = append(made, len(out))
		}
		out = append(out, e)
	}
	if rules {
		for _, i := range made { // it may have existed, ignored
			out[i] = Entry{Turn: w.turn, Name: out[i].Name, Gap: gapNew}
		}
	}
	return w.gone(r, now, out)
}

// was returns the files of a folder that a command may have changed, as they were before it,
// and which of them are ignored. Files that it made are missing where they cannot be told from
// those that were there.
func (w *Watch) was(ctx context.Context, v *View, r rootView, now *listing) (was map[string]look, ignored map[string]bool, err error) {
	was, ignored = map[string]look{}, map[string]bool{}
	for p, l := range v.files {
		if paths.Within(p, r.dir.Abs) {
			was[p] = l
		}
	}
	if r.repo != nil {
		if err := w.committed(ctx, r, was); err != nil {
			return nil, nil, err
		}
	}
	add := func(rel string) string {
		p := r.dir.Join(rel).Abs
		if _, ok := was[p]; !ok {
			was[p] = look{}
		}
		return p
	}
	for _, rel := range r.was.ignored {
		ignored[r.dir.Join(rel).Abs] = true
	}
	if len(now.names) <= maxNames {
		for _, rel := range now.names {
			add(rel)
		}
	}
	if !r.was.partial && !now.partial {
		for _, rel := range now.ignored {
			ignored[add(rel)] = true
		}
	}
	return was, ignored, nil
}

// entry returns the entry of a file; false when it has not changed.
func (w *Watch) entry(v *View, name string, before, now look) (e Entry, changed bool) {
	e = Entry{Turn: w.turn, Name: name, Command: true}
	defer func() { e.Lost = e.Gap != "" && before.there() && !before.holds(now) }()
	before = before.beside(now)
	switch {
	case before.same(now):
		return e, false
	case before.gap != "":
		e.Gap = before.gap
	case now.gap != "":
		e.Gap = now.gap
	case !utf8.ValidString(name): // the journal cannot name it
		e.Gap = gapName
	case before.loose && (now.ends.lf && !before.ends.lf || now.ends.crlf && !before.ends.crlf):
		e.Gap = gapEnds
	case before.state.Hash == "" && now.time.Before(v.began.Add(-clockSlack)):
		e.Gap = gapNew
	default:
		e.Before, e.After = before.state, &now.state
	}
	return e, true
}

// clockSlack is how far the disk's clock may be behind ours.
const clockSlack = 2 * time.Second

// isRules reports whether a file holds ignore rules.
func isRules(name string) bool {
	switch filepath.Base(name) {
	case ".gitignore", ".geminiignore", ".emendoignore":
		return true
	}
	return false
}

// committed adds to was the files from git that have changed.
func (w *Watch) committed(ctx context.Context, r rootView, was map[string]look) error {
	all, err := r.repo.changedSince(ctx)
	if err != nil {
		return err
	}
	var read []committed
	for _, c := range all {
		name := r.dir.Join(path.Clean(c.rel)).Abs
		if _, ok := was[name]; ok {
			continue
		}
		if c.gap != "" {
			was[name] = look{gap: c.gap, size: -1}
			continue
		}
		read = append(read, c)
	}
	size := int64(0)
	return r.repo.read(ctx, read, disk.ReadLimit, func(c committed, data []byte) error {
		name := r.dir.Join(path.Clean(c.rel)).Abs
		size += int64(len(data))
		switch {
		case data == nil:
			was[name] = look{gap: gapLarge, size: -1}
			return nil
		case size > MaxAll:
			was[name] = look{gap: gapFull, size: -1}
			return nil
		}
		hash, err := w.journal.Put(data)
		if err != nil {
			return err
		}
		was[name] = look{size: -1, state: State{hash, c.mode}, ends: endsOf(data), git: true, loose: c.loose}
		return nil
	})
}
