package rewind

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/paths"
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

// A Watch finds out what the commands of one turn change. They run one at a time.
type Watch struct {
	r        *Rewinder
	journal  *Journal
	turn     string
	tree     *disk.Tree     // nil before the first command
	recorded map[gapOf]bool // gaps that are in the journal
	most     int            // files of a folder to keep in memory
}

// gapOf is a gap of a file.
type gapOf struct {
	name string
	lost bool
}

// Watch returns the Watch of a turn.
func (r *Rewinder) Watch(turn string) *Watch {
	w := r.o.Journal.watch(turn, nil)
	w.r = r
	return w
}

// watch returns a Watch of the folders of a tree for a turn.
func (j *Journal) watch(turn string, tree *disk.Tree) *Watch {
	return &Watch{journal: j, turn: turn, tree: tree, recorded: map[gapOf]bool{}, most: maxPresent}
}

// Command looks at the session's folders before a command runs; call over when
// it has ended. It returns what the command did. What a command in the background has changed
// until now is reported as its own, and until then what it changes counts as the command's.
func (w *Watch) Command(ctx context.Context) (over func() Ended) {
	r := w.r
	if w.tree == nil {
		w.tree = r.o.Place.Tree()
	}
	v, err := r.background.pause(ctx, r, w)
	if v == nil && err == nil {
		v, err = w.before(ctx)
	}
	if err != nil {
		if ctx.Err() == nil {
			r.o.Log.Warn("recording what a command may change", "session", r.o.SessionID, "err", err)
			r.gap(Entry{Turn: w.turn, Gap: "a command ran, and the files could not be recorded before it: " + err.Error(), Lost: true})
		}
		return func() Ended { return Ended{} }
	}
	own := r.o.Meanwhile.begin()
	return func() Ended {
		e := w.ended(ctx, v, r.o.Meanwhile.end(own))
		e.before = r.background.resume(ctx, r, e)
		return e
	}
}

// ended compares the folders with what they were before a command.
func (w *Watch) ended(ctx context.Context, v *view, own window) Ended {
	// What a cancelled command has changed is recorded too.
	c, err := w.after(context.WithoutCancel(ctx), v)
	if err != nil {
		w.r.o.Log.Warn("recording what a command changed", "session", w.r.o.SessionID, "err", err)
	}
	return Ended{r: w.r, found: c, own: own}
}

// A view is the state of the folders before a command.
type view struct {
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

// before records the state of the folders before a command runs.
func (w *Watch) before(ctx context.Context) (*view, error) {
	v := &view{began: time.Now(), files: map[string]look{}}
	var begun []Entry
	var copied sizes
	for _, folder := range w.tree.Folders() {
		r, err := w.view(ctx, folder)
		if err != nil {
			return nil, fmt.Errorf("recording what a command may change: %w", err)
		}
		for rel, size := range r.was.copied(&copied) {
			p := r.dir.Join(rel)
			if v.files[p.Abs], err = w.look(ctx, p, size); err != nil {
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

// after adds to the journal what has changed since v, and returns it.
func (w *Watch) after(ctx context.Context, v *view) (c changes, err error) {
	var out []Entry
	var copied sizes
	failed := false
	c.next = &view{began: time.Now(), files: map[string]look{}}
	for _, r := range v.roots {
		if r.gap != "" {
			out = append(out, Entry{Turn: w.turn, Name: r.dir.Abs, Gap: r.gap, Lost: true})
			c.next.roots = append(c.next.roots, r)
			continue
		}
		l, err := w.changed(ctx, v, r, &copied, &c)
		if err != nil {
			failed = true
			l = []Entry{{Turn: w.turn, Name: r.dir.Abs, Gap: fmt.Sprintf("a command ran, and what it changed could not be determined: %v", err), Lost: true}}
		}
		out = append(out, Entry{Turn: w.turn, Name: r.dir.Abs, Gap: gapElsewhere}) // it replaces gapUnended
		out = append(out, l...)
		for _, e := range l {
			c.more = c.more || e.Gap == gapGoneMore
			if e.Gap == "" {
				c.known = append(c.known, e)
			}
			if _, err := os.Lstat(e.Name); e.Lost && errors.Is(err, fs.ErrNotExist) {
				c.removed = append(c.removed, e.Name)
			}
		}
	}
	if failed {
		c.next = nil
	}
	return c, w.journal.Add(out...)
}

// changed compares one folder with its view, and returns the entries. It adds to c the files for
// review, and the folder as it is now, with the commit of before.
func (w *Watch) changed(ctx context.Context, v *view, r rootView, copied *sizes, c *changes) ([]Entry, error) {
	if r.repo != nil {
		if err := r.repo.renew(ctx); err != nil {
			return nil, err
		}
	}
	now, err := list(ctx, w.tree, r.dir, r.repo, w.most)
	if err != nil {
		return nil, err
	}
	was, ignored, err := w.filesBefore(ctx, v, r, now)
	if err != nil {
		return nil, err
	}
	next := rootView{dir: r.dir, repo: r.repo, was: now}
	changed, dirty := namesIn(r.dir, now.names), namesIn(r.dir, r.was.names) // against a commit, now and before
	var out []Entry
	if len(now.names) > maxNames {
		out = append(out, Entry{Turn: w.turn, Name: r.dir.Abs, Gap: gapMany})
		now.names, next.gap = nil, gapMany
	}
	c.next.roots = append(c.next.roots, next)
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
		if changed[name] || ignored[name] {
			c.next.files[name] = now
		}
		e, differs := w.entry(v, name, was[name], now)
		if differs && !ignored[name] {
			d := difference{name: name, was: was[name].there() || r.was.has(r.dir, name), is: now.there(), after: now.state, checkout: r.repo != nil && !dirty[name] && !changed[name]}
			d.large = e.Gap == gapLarge || e.Gap == gapFull
			switch {
			case e.Gap == "" && d.was == (e.Before.Hash != ""): // else it was ignored before
				d.before = e.Before
				c.files = append(c.files, d)
			case d.large, e.Gap == gapNew && !d.was:
				c.files = append(c.files, d)
			}
		}
		switch {
		case !differs, e.Gap != "" && w.recorded[gapOf{name, e.Lost}]:
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
	return w.addRemoved(r, now, out), nil
}

// namesIn returns the absolute paths of names in a folder.
func namesIn(dir disk.Path, names []string) map[string]bool {
	all := make(map[string]bool, len(names))
	for _, rel := range names {
		all[dir.Join(rel).Abs] = true
	}
	return all
}

// filesBefore returns the files of a folder that a command may have changed, as they were before it,
// and which of them are ignored. Files that it made are missing where they cannot be told from
// those that were there.
func (w *Watch) filesBefore(ctx context.Context, v *view, r rootView, now *listing) (was map[string]look, ignored map[string]bool, err error) {
	was, ignored = map[string]look{}, namesIn(r.dir, r.was.ignored)
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
func (w *Watch) entry(v *view, name string, before, now look) (e Entry, changed bool) {
	e = Entry{Turn: w.turn, Name: name, Command: true}
	defer func() { e.Lost = e.Gap != "" && before.there() && !before.holds(now) }()
	before = before.beside(now)
	switch {
	case before.equals(now):
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
		was[name] = look{size: -1, state: State{Hash: hash, Mode: c.mode}, ends: endsOf(data), git: true, loose: c.loose}
		return nil
	})
}
