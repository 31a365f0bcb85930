package rewind

import "slices"

// Compared is what turns have made of a file.
type Compared struct {
	Name          string // an absolute path, or the URI of a document that is not a file
	Before, After Content
}

// Compare returns the files that are not after turns as they were before them, by name. What the
// user did to a file between two changes is with them.
func (r *Rewinder) Compare(turns []string) (l []Compared, err error) {
	entries, err := r.o.Journal.Entries(turns)
	if err != nil {
		return nil, err
	}
	first, last := map[string]State{}, map[string]State{}
	var names []string
	for _, e := range entries {
		if e.Gap != "" || e.After == nil || r.o.Place.IsPlan(e.Name) {
			continue
		}
		if _, known := first[e.Name]; !known {
			first[e.Name] = e.Before
			names = append(names, e.Name)
		}
		last[e.Name] = *e.After
	}
	slices.Sort(names)
	for _, name := range names {
		before, after, err := r.o.Journal.contents(first[name], last[name])
		if err != nil {
			return nil, err
		}
		if !before.Same(after) {
			l = append(l, Compared{name, before, after})
		}
	}
	return l, nil
}
