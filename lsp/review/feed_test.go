package review

import (
	"slices"
	"testing"
)

// A client that takes deltas is told which hunks have left a change set.
func TestDeltaNamesHunksThatAreGone(t *testing.T) {
	set := func(ids ...string) changeSet {
		cs := changeSet{ChangeSetID: "c", Files: []fileChange{{URI: "file:///a"}}}
		for _, id := range ids {
			cs.Files[0].Hunks = append(cs.Files[0].Hunks, hunk{HunkID: id})
		}
		return cs
	}
	var f feed
	f.nextDelta(set("1", "2", "3"))
	d, ok := f.nextDelta(set("2")).(oneDelta)
	if !ok || d.Delta.Version != 1 || len(d.Delta.Hunks) != 0 || !slices.Equal(d.Delta.Removed, []string{"1", "3"}) {
		t.Errorf("got %+v", d)
	}
	if again := f.nextDelta(set("2")); again != nil {
		t.Errorf("nothing has changed, but got %+v", again)
	}
}
