package rewind

import (
	"maps"
	"os"
	"slices"
)

// maxPresent is how many files of a folder are kept in memory while a command runs.
const maxPresent = 200_000

// maxGone is how many of the files that a command removed are named.
const maxGone = 10

const (
	gapGone     = "a command moved, deleted or replaced it, and there is no copy of it"
	gapGoneMore = "a command moved, deleted or replaced more files of which there is no copy"
	gapPresent  = "a command ran in a folder with more than 200,000 files: whether it removed files of which there is no copy is not known"
)

// addRemoved adds to the changes of a folder the files that a command removed and that are in no
// other entry, but for what tools make again. Files that existed before it are not new.
func (w *Watch) addRemoved(r rootView, now *listing, l []Entry) []Entry {
	listed := map[string]bool{}
	made := false
	for i, e := range l {
		listed[e.Name] = true
		if e.Gap != "" || e.Before.Hash != "" {
			continue
		}
		if r.was.has(r.dir, e.Name) || r.was.repo && r.was.isRemade(relative(r.dir, e.Name), false) {
			l[i] = Entry{Turn: e.Turn, Name: e.Name, Gap: gapNew}
			continue
		}
		made = true
	}
	if r.was.present == nil || now.present == nil {
		if made {
			l = append(l, Entry{Turn: w.turn, Name: r.dir.Abs, Gap: gapPresent, Lost: true})
		}
		return l
	}
	var names []string
	for _, rel := range slices.Sorted(maps.Keys(r.was.present)) {
		name, was := r.dir.Join(rel).Abs, r.was.present[rel]
		if t, there := now.present[rel]; there && t == was || listed[name] || w.recorded[gapOf{name, true}] {
			continue
		}
		if fi, err := os.Lstat(name); err == nil && fi.Mode().Type() == was {
			continue // it is in what counts as made again now
		}
		names = append(names, name)
	}
	for i, name := range names {
		if i == maxGone {
			l = append(l, Entry{Turn: w.turn, Name: r.dir.Abs, Gap: gapGoneMore, Lost: true})
			break
		}
		l = append(l, Entry{Turn: w.turn, Name: name, Gap: gapGone, Lost: true})
	}
	return l
}
