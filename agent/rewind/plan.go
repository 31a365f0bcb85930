package rewind

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/ide/disk"
)

// plan lists the changes of a rewind to files.
type plan struct {
	result  Result
	edit    ide.Edit // to open documents
	steps   []step   // to the other files
	changes []Change // all of it
}

// target is what one file is to become.
type target struct {
	name    string
	entries []Entry // what the turns did to it, oldest first
	now     current
	want    Content
	missing *current // of an open document: its file, which a command removed
	file    Content  // what that file is to hold again
}

// current is the present content of a file: in the editor, else on disk.
type current struct {
	content Content
	doc     *ide.Document // nil when the file is not open
	path    disk.Path     // of a file that is not open
	data    []byte        // its bytes; nil when it does not exist
}

// plan finds out what every file would hold without the turns' changes.
func (r *Rewinder) plan(ctx context.Context, turns []string) (*plan, error) {
	p := &plan{edit: ide.Edit{Label: "emendo: rewind"}}
	entries, err := r.o.Journal.Entries(turns)
	if err != nil {
		return nil, err
	}
	byName := map[string][]Entry{}
	var names, lost []string // lost: their content may only be left in other files
	for _, e := range entries {
		if r.o.Place.IsPlan(e.Name) {
			continue
		}
		if e.Gap != "" {
			p.result.Kept = append(p.result.Kept, Skipped{e.Name, e.Gap})
			if e.Lost {
				lost = append(lost, e.Name)
			}
			continue
		}
		if byName[e.Name] == nil {
			names = append(names, e.Name)
		}
		byName[e.Name] = append(byName[e.Name], e)
	}
	slices.Sort(names)
	snap := r.o.Workspace.Snapshot()
	var targets []target
	for _, name := range names {
		f := target{name: name, entries: byName[name]}
		conflict := r.findTarget(ctx, snap, &f)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if conflict != "" {
			p.conflict(name, conflict)
		} else {
			targets = append(targets, f)
		}
		if r.removed(f.entries) && (conflict != "" || f.now.doc != nil && !r.restoresDisk(ctx, f)) {
			lost = append(lost, name)
		}
	}
	p.addAll(targets, lost)
	return p, nil
}

// findTarget fills in what a file holds and is to hold, or returns why it cannot.
func (r *Rewinder) findTarget(ctx context.Context, snap *ide.Snapshot, f *target) (conflict string) {
	var err error
	if f.now, err = r.current(ctx, snap, f.name); err != nil {
		return err.Error()
	}
	entries := f.entries
	if f.now.doc != nil && f.now.doc.Path != "" {
		if c, err := r.onDisk(ctx, f.name); err == nil && !c.content.Exists {
			if want, conflict := r.revert(entries, c.content); conflict == "" && want.Exists {
				f.missing, f.file = &c, want
				entries = slices.DeleteFunc(slices.Clone(entries), isRemoval) // the editor's text outlived them
			}
		}
	}
	if f.want, conflict = r.revert(entries, f.now.content); conflict != "" || !f.changes() {
		return conflict
	}
	if err := checkChange(f.now, f.want); err != nil {
		return err.Error()
	}
	return ""
}

// isRemoval reports whether a command removed the file.
func isRemoval(e Entry) bool {
	return e.Command && e.After != nil && e.After.Hash == "" && e.Before.Hash != ""
}

func (f target) changes() bool {
	return !f.want.Same(f.now.content) || f.want.Exists && f.want.Mode != f.now.content.Mode
}

// removed reports whether a command moved a file away, or may have put another
// one in its place.
func (r *Rewinder) removed(entries []Entry) bool {
	return slices.ContainsFunc(entries, func(e Entry) bool {
		if !e.Command || e.Before.Hash == "" {
			return false
		}
		if e.After == nil || e.After.Hash == "" {
			return true
		}
		before, after, err := r.o.Journal.contents(e.Before, *e.After)
		return err != nil || replaced(before, after)
	})
}

// restoresDisk reports whether an open file will hold on disk what it did,
// whatever the editor has.
func (r *Rewinder) restoresDisk(ctx context.Context, f target) bool {
	if f.missing != nil || f.now.doc.Path == "" {
		return true
	}
	c, err := r.onDisk(ctx, f.name)
	if err != nil {
		return false
	}
	want, conflict := r.revert(f.entries, c.content)
	return conflict == "" && want.Same(c.content)
}

// revert returns what a file that holds now would hold without the changes, the
// newest reverted first, or why that is not known.
func (r *Rewinder) revert(entries []Entry, now Content) (without Content, conflict string) {
	for _, e := range slices.Backward(entries) {
		var is State
		if e.After != nil {
			is = *e.After
		}
		before, after, err := r.o.Journal.contents(e.Before, is)
		if err != nil {
			return now, err.Error()
		}
		if e.After == nil {
			if !now.Same(before) {
				return now, "emendo exited while it changed the file; how much was changed is not known"
			}
			continue
		}
		if now, conflict = revert(before, after, now); conflict != "" {
			return now, conflict
		}
	}
	return now, ""
}

// current returns what a file holds in the editor, else on disk.
func (r *Rewinder) current(ctx context.Context, snap *ide.Snapshot, name string) (current, error) {
	d := snap.Current(ctx, name)
	if d == nil {
		d = snap.Document(ide.ParseURI(name))
	}
	if d != nil {
		return current{content: Content{Exists: true, Text: d.Text.String()}, doc: d}, nil
	}
	if ide.ParseURI(name).Path() == "" && !filepath.IsAbs(name) {
		return current{}, errors.New("the document is no longer open")
	}
	return r.onDisk(ctx, name)
}

// onDisk returns what a file holds on disk.
func (r *Rewinder) onDisk(ctx context.Context, name string) (current, error) {
	p, err := r.o.Place.Tree().Resolve(name)
	if err != nil {
		return current{}, err
	}
	if p.Abs != name {
		return current{}, fmt.Errorf("%s: %w", name, disk.ErrMoved)
	}
	data, err := r.o.Place.Tree().ReadBytes(ctx, p, disk.EditLimit)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, disk.ErrNotDir) { // it is missing, or a file is in its folder's place
		return current{path: p}, nil
	}
	if err != nil {
		return current{}, err
	}
	c := current{content: Decode(data), path: p, data: data}
	if fi, err := r.o.Place.Tree().Stat(p); err == nil {
		c.content.Mode = fi.Mode().Perm()
	}
	return c, nil
}

var errReadOnly = errors.New("the file is read-only")

// checkChange returns why a file cannot be made to hold something.
func checkChange(now current, want Content) error {
	switch {
	case now.doc != nil && !want.Exists && now.doc.Path == "":
		return errors.New("the document is not a file and cannot be deleted")
	case now.doc != nil && want.Binary:
		return errors.New("the file was binary and is open in the editor; close it first")
	case now.doc == nil && want.Mode == now.content.Mode && now.data != nil && now.content.Mode&0o222 == 0 && want.Exists:
		return errReadOnly
	}
	return nil
}

// addAll plans the targets. Where something is lost, its content may be in a file
// that a command made or changed, so that file stays.
func (p *plan) addAll(targets []target, lost []string) {
	var kept []string
	for _, f := range targets {
		within := func(name string) bool { return strings.HasPrefix(f.name, name+string(filepath.Separator)) }
		if i := slices.IndexFunc(kept, within); i >= 0 {
			p.conflict(f.name, "its folder cannot be made: a command put "+kept[i]+" in its place, which stays")
			continue
		}
		if f.missing != nil { // the editor keeps its text
			if err := p.add(f.name, *f.missing, f.file); err != nil {
				p.conflict(f.name, err.Error())
			} else {
				p.changes[len(p.changes)-1].disk = true
			}
		}
		switch {
		case !f.changes():
		case len(lost) > 0 && slices.ContainsFunc(f.entries, func(e Entry) bool { return e.Command && e.After != nil && e.After.Hash != "" }):
			kept = append(kept, f.name)
			p.result.Kept = append(p.result.Kept, Skipped{f.name, "a command made or changed it, and it may hold what was in " + lost[0] + ", which cannot be restored"})
		default:
			if err := p.add(f.name, f.now, f.want); err != nil {
				p.conflict(f.name, err.Error())
			}
		}
	}
}

func (p *plan) conflict(name, reason string) {
	p.result.Conflicts = append(p.result.Conflicts, Skipped{name, reason})
}

func (p *plan) restored(name string) {
	if !slices.Contains(p.result.Restored, name) {
		p.result.Restored = append(p.result.Restored, name)
	}
}

// add plans one file.
func (p *plan) add(name string, now current, want Content) error {
	if err := checkChange(now, want); err != nil {
		return err
	}
	if now.doc != nil {
		f := ide.FileEdit{Document: now.doc, Delete: !want.Exists}
		if want.Exists {
			for _, b := range diff.Lines(now.content.Text, want.Text) {
				f.Splices = append(f.Splices, ide.Splice{A: b.Old.A, B: b.Old.B, Text: want.Text[b.New.A:b.New.B]})
			}
		}
		p.edit.Files = append(p.edit.Files, f)
	} else {
		s, err := now.step(want)
		if err != nil {
			return err
		}
		p.steps = append(p.steps, s)
	}
	p.changes = append(p.changes, Change{Name: name, Open: now.doc != nil, Before: now.content, After: want})
	if want.Exists {
		p.restored(name)
	} else {
		p.result.Deleted = append(p.result.Deleted, name)
	}
	return nil
}

// outdated reports whether a plan failed because something changed meanwhile.
func (p *plan) outdated(now *ide.Snapshot, err error) bool {
	return errors.Is(err, disk.ErrChanged) ||
		slices.ContainsFunc(p.edit.Files, func(f ide.FileEdit) bool { return now.Document(f.Document.URI) != f.Document })
}
