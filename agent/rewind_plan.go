package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/checkpoint"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/ide/disk"
)

// rewindPlan is what is to be done with the files.
type rewindPlan struct {
	result  Rewind
	edit    ide.Edit          // for open documents
	steps   []checkpoint.Step // for the others
	changes []fileChange      // all of it
}

// fileChange is what a rewind makes of a file.
type fileChange struct {
	name      string
	open      bool // it is changed in the editor
	disk      bool // it is open, and the file that is missing is written all the same
	was, want checkpoint.Content
}

// planned is what is to become of one name.
type planned struct {
	name    string
	changes []checkpoint.Entry
	now     held
	want    checkpoint.Content
	missing *held              // of an open document: its file, which a command took away
	file    checkpoint.Content // what that is to hold again
}

// planRewind finds out what every file would hold without what the turns did.
func (s *Session) planRewind(ctx context.Context, turns []string) (*rewindPlan, error) {
	p := &rewindPlan{edit: ide.Edit{Label: "emendo: rewind"}}
	j := s.journal()
	if j == nil {
		return nil, errors.New("rewinding files: no checkpoints are kept here; the conversation alone can be rewound")
	}
	entries, err := j.Entries(turns)
	if err != nil {
		return nil, err
	}
	changes := map[string][]checkpoint.Entry{}
	var names, lost []string // lost: what they held may be in other files alone
	for _, e := range entries {
		if s.isPlan(e.Name) {
			continue // it is the session's own and no part of the workspace
		}
		if e.Gap != "" {
			p.result.Kept = append(p.result.Kept, Left{e.Name, e.Gap})
			if e.Lost {
				lost = append(lost, e.Name)
			}
			continue
		}
		if changes[e.Name] == nil {
			names = append(names, e.Name)
		}
		changes[e.Name] = append(changes[e.Name], e)
	}
	slices.Sort(names)
	snap := s.agent.o.Workspace.Snapshot()
	var all []planned
	for _, name := range names {
		f := planned{name: name, changes: changes[name]}
		reason := s.planFile(ctx, snap, j, &f)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if reason != "" {
			p.result.Conflicts = append(p.result.Conflicts, Left{name, reason})
		} else {
			all = append(all, f)
		}
		if s.tookAway(j, f.changes) && (reason != "" || f.now.doc != nil && !s.onDiskAgain(ctx, j, f)) {
			lost = append(lost, name)
		}
	}
	p.addAll(all, lost)
	return p, nil
}

// planFile finds out what one name would hold; the reason says why that cannot be.
func (s *Session) planFile(ctx context.Context, snap *ide.Snapshot, j *checkpoint.Journal, f *planned) (reason string) {
	var err error
	if f.now, err = s.content(ctx, snap, f.name); err != nil {
		return err.Error()
	}
	changes := f.changes
	if f.now.doc != nil && f.now.doc.Path != "" {
		if h, err := s.onDisk(ctx, f.name); err == nil && !h.content.Exists {
			if want, reason := takenBack(j, changes, h.content); reason == "" && want.Exists {
				f.missing, f.file = &h, want
				changes = slices.DeleteFunc(slices.Clone(changes), isRemoval) // the editor's text outlived them
			}
		}
	}
	if f.want, reason = takenBack(j, changes, f.now.content); reason != "" || !f.changed() {
		return reason
	}
	if err := fits(f.now, f.want); err != nil {
		return err.Error()
	}
	return ""
}

// isRemoval says whether a command took a file away.
func isRemoval(e checkpoint.Entry) bool {
	return e.Command && e.After != nil && e.After.Hash == "" && e.Before.Hash != ""
}

func (f planned) changed() bool {
	return !f.want.Same(f.now.content) || f.want.Exists && f.want.Mode != f.now.content.Mode
}

// tookAway says whether a command moved a file away, or may have put another one
// in its place.
func (s *Session) tookAway(j *checkpoint.Journal, changes []checkpoint.Entry) bool {
	return slices.ContainsFunc(changes, func(e checkpoint.Entry) bool {
		if !e.Command || e.Before.Hash == "" {
			return false
		}
		if e.After == nil || e.After.Hash == "" {
			return true
		}
		before, err := j.Content(e.Before)
		after, aerr := j.Content(*e.After)
		return err != nil || aerr != nil || checkpoint.Replaced(before, after)
	})
}

// onDiskAgain says whether an open file will hold on disk what it did, whatever
// the editor has.
func (s *Session) onDiskAgain(ctx context.Context, j *checkpoint.Journal, f planned) bool {
	if f.missing != nil || f.now.doc.Path == "" {
		return true
	}
	h, err := s.onDisk(ctx, f.name)
	if err != nil {
		return false
	}
	want, reason := takenBack(j, f.changes, h.content)
	return reason == "" && want.Same(h.content)
}

// addAll plans what is to become of the files. Where something is lost, it may be
// in what a command has made or changed, so that stays.
func (p *rewindPlan) addAll(all []planned, lost []string) {
	var kept []string
	for _, f := range all {
		within := func(name string) bool { return strings.HasPrefix(f.name, name+string(filepath.Separator)) }
		if i := slices.IndexFunc(kept, within); i >= 0 {
			p.result.Conflicts = append(p.result.Conflicts, Left{f.name, "its folder cannot be made: a command put " + kept[i] + " in its place, which stays"})
			continue
		}
		if f.missing != nil {
			p.addMissing(f)
		}
		switch {
		case !f.changed():
		case len(lost) > 0 && slices.ContainsFunc(f.changes, func(e checkpoint.Entry) bool { return e.Command && e.After != nil && e.After.Hash != "" }):
			kept = append(kept, f.name)
			p.result.Kept = append(p.result.Kept, Left{f.name, "a command made or changed it, and it may hold what was in " + lost[0] + ", which cannot be restored"})
		default:
			if err := p.add(f.name, f.now, f.want); err != nil {
				p.result.Conflicts = append(p.result.Conflicts, Left{f.name, err.Error()})
			}
		}
	}
}

// addMissing plans to write the file of an open document that a command took
// away. What the editor has stays.
func (p *rewindPlan) addMissing(f planned) {
	data, err := f.file.Bytes()
	if err != nil {
		p.result.Conflicts = append(p.result.Conflicts, Left{f.name, err.Error()})
		return
	}
	p.steps = append(p.steps, checkpoint.Step{Path: f.missing.path, Want: data, Mode: f.file.Mode})
	p.changes = append(p.changes, fileChange{name: f.name, disk: true, want: f.file})
	p.restored(f.name)
}

func (p *rewindPlan) restored(name string) {
	if !slices.Contains(p.result.Restored, name) {
		p.result.Restored = append(p.result.Restored, name)
	}
}

// takenBack takes changes of one file back, the newest first.
func takenBack(j *checkpoint.Journal, changes []checkpoint.Entry, now checkpoint.Content) (checkpoint.Content, string) {
	for _, e := range slices.Backward(changes) {
		before, err := j.Content(e.Before)
		if err != nil {
			return now, err.Error()
		}
		if e.After == nil {
			if !now.Same(before) {
				return now, "emendo ended while it changed the file, and how far it came is not known"
			}
			continue
		}
		after, err := j.Content(*e.After)
		if err != nil {
			return now, err.Error()
		}
		var reason string
		if now, reason = checkpoint.Revert(before, after, now); reason != "" {
			return now, reason
		}
	}
	return now, ""
}

// content is what a name holds.
func (s *Session) content(ctx context.Context, snap *ide.Snapshot, name string) (held, error) {
	d := snap.DocumentAt(name)
	if d == nil {
		d = snap.Document(ide.ParseURI(name))
	}
	if d != nil {
		return held{content: checkpoint.Content{Exists: true, Text: d.Text.String()}, doc: d}, nil
	}
	if ide.ParseURI(name).Path() == "" && !filepath.IsAbs(name) {
		return held{}, errors.New("the document is not open any more")
	}
	return s.onDisk(ctx, name)
}

// onDisk is what a name holds on disk.
func (s *Session) onDisk(ctx context.Context, name string) (held, error) {
	p, err := s.folders().Resolve(name)
	if err != nil {
		return held{}, err
	}
	if p.Abs != name {
		return held{}, fmt.Errorf("%s: %w", name, disk.ErrMoved)
	}
	data, err := s.folders().ReadBytes(ctx, p, disk.EditLimit)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, disk.ErrNotDir) { // there is none, or a file stands in its folder's place
		return held{path: p}, nil
	}
	if err != nil {
		return held{}, err
	}
	h := held{content: checkpoint.Decode(data), path: p, data: data}
	if fi, err := s.folders().Stat(p); err == nil {
		h.content.Mode = fi.Mode().Perm()
	}
	return h, nil
}

var errReadOnly = errors.New("the file is read-only")

// fits says why a file cannot be made to hold something.
func fits(now held, want checkpoint.Content) error {
	switch {
	case now.doc != nil && !want.Exists && now.doc.Path == "":
		return errors.New("the document is no file and cannot be deleted")
	case now.doc != nil && want.Binary:
		return errors.New("the file was binary and is open in the editor; close it first")
	case now.doc == nil && want.Mode == now.content.Mode && now.data != nil && now.content.Mode&0o222 == 0 && want.Exists:
		return errReadOnly
	}
	return nil
}

// add plans one file.
func (p *rewindPlan) add(name string, now held, want checkpoint.Content) error {
	if err := fits(now, want); err != nil {
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
		data, err := want.Bytes()
		if err != nil {
			return err
		}
		p.steps = append(p.steps, checkpoint.Step{Path: now.path, Was: now.data, Want: data, WasMode: now.content.Mode, Mode: want.Mode})
	}
	p.changes = append(p.changes, fileChange{name: name, open: now.doc != nil, was: now.content, want: want})
	if want.Exists {
		p.restored(name)
	} else {
		p.result.Deleted = append(p.result.Deleted, name)
	}
	return nil
}
