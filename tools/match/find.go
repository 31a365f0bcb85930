package match

import (
	"slices"
	"sort"
	"strings"
)

// maxPlaces is how many places are counted; more are just "many".
const maxPlaces = 100

// An Edit replaces the bytes A to B of a text.
type Edit struct {
	A, B int
	Text string
}

// Found is the result of [Find].
type Found struct {
	Edits []Edit // ascending, not overlapping
	// How describes for the model how the passage was recognised; empty if it matched
	// exactly.
	How string
}

// Apply returns text with the edits made.
func (f Found) Apply(text string) string {
	var b strings.Builder
	at := 0
	for _, e := range f.Edits {
		b.WriteString(text[at:e.A])
		b.WriteString(e.Text)
		at = e.B
	}
	b.WriteString(text[at:])
	return b.String()
}

// Find finds the passage of text that old quotes and merges the change from old to
// new into it; with multiple, into every such passage. The error is a [*Refusal].
// It tries, in order, and stops at the first that finds a passage: old literally;
// whole lines regardless of white space, quotes, dashes, width and normal form; any
// text regardless of typography; old with one garbling undone; old with typing
// slips inside long words.
func Find(text, old, new string, multiple bool) (Found, error) {
	t := newTarget(text)
	switch {
	case old == new:
		return Found{}, &Refusal{Kind: NoChange, Reason: "old_string and new_string are identical; there is nothing to change"}
	case old == "" && text == "":
		return Found{Edits: []Edit{{Text: new}}}, nil
	case old == "":
		return Found{}, t.refuseEmpty()
	}
	if f, err := t.literal(reading{old: old, new: new}, multiple); f.Edits != nil || err != nil {
		return f, err
	}
	if f, err := t.folded(reading{old: old, new: new}, multiple); f.Edits != nil || err != nil {
		return f, err
	}
	if f, err := t.typography(reading{old: old, new: new}, multiple); f.Edits != nil || err != nil {
		return f, err
	}
	rs := readings(old, new)
	for _, r := range rs {
		if f, err := t.literal(r, multiple); f.Edits != nil || err != nil {
			f.How = "old_string was read " + r.how
			return f, err
		}
	}
	for _, r := range rs {
		if f, err := t.folded(r, multiple); f.Edits != nil || err != nil {
			return f, err
		}
	}
	if f, err := t.misspelled(old, new, multiple); f.Edits != nil || err != nil {
		return f, err
	}
	return Found{}, t.refuseMissing(old, new)
}

// target is the text that is searched, parsed once and as far as needed.
type target struct {
	named   string // what the model calls the passage
	text    string
	lines   []line
	end     string // the usual line end
	unit    string // one step of indentation, once determined
	stepped bool   // there is such a step

	lf   string // the text with "\n" for "\r\n"
	crlf []int  // where in lf those were

	solid []solid // lines that are not blank
	keys  []string
	byKey map[string][]int // places in solid
}

// solid is a line that is not blank.
type solid struct {
	no int // line number, from zero
	parsed
}

func newTarget(text string) *target {
	t := &target{named: "old_string", text: text, lines: split(text)}
	t.end = usualEnd(t.lines)
	return t
}

// index parses the lines, once.
func (t *target) index() {
	if t.byKey != nil {
		return
	}
	t.byKey = map[string][]int{}
	for no, l := range t.lines {
		if p := parse(l.body); len(p.tokens) > 0 {
			t.byKey[p.key] = append(t.byKey[p.key], len(t.solid))
			t.solid = append(t.solid, solid{no, p})
			t.keys = append(t.keys, p.key)
		}
	}
}

// lineOf returns the number of the line with the byte at off, from zero.
func (t *target) lineOf(off int) int {
	return sort.Search(len(t.lines), func(i int) bool { return t.lines[i].at > off }) - 1
}

// literal searches for old literally.
func (t *target) literal(r reading, multiple bool) (Found, error) {
	edits, places := t.exact(r, multiple)
	if len(places) > 1 && !multiple {
		nos := make([]int, len(places))
		for i, at := range places {
			nos[i] = t.lineOf(at)
		}
		return Found{}, t.refuseMany(nos, strings.Count(strings.TrimSuffix(r.old, "\n"), "\n")+1)
	}
	return t.withoutNoOps(edits, "")
}

// folded searches line by line.
func (t *target) folded(r reading, multiple bool) (Found, error) {
	t.index()
	o, n := parsePassage(r.old), parsePassage(r.new)
	if len(o.lines) == 0 {
		return Found{}, nil
	}
	how := t.named + " was matched although its white space or typography differs from the file's"
	if r.how != "" {
		how = t.named + " was read " + r.how
	}
	places := search(t.keys, o.keys())
	if len(places) == 1 && r.line > 0 && r.line != t.solid[places[0]].no+1 {
		return Found{}, nil
	}
	return t.mergeAll(places, o, n, how, multiple)
}

// mergeAll merges the change from o to n at these places, which are indexes in solid.
func (t *target) mergeAll(places []int, o, n passage, how string, multiple bool) (Found, error) {
	if len(places) > 1 && !multiple {
		nos := make([]int, len(places))
		for i, p := range places {
			nos[i] = t.solid[p].no
		}
		last := t.solid[places[0]+len(o.lines)-1].no
		return Found{}, t.refuseMany(nos, last-nos[0]+1)
	}
	var edits []Edit
	free := 0 // places before it are taken
	for _, p := range places {
		if p < free {
			continue
		}
		free = p + len(o.lines)
		e, err := t.merge(p, o, n)
		if err != nil {
			return Found{}, err
		}
		if last := len(edits) - 1; last >= 0 { // empty lines between two places belong to the first
			e.A = max(e.A, edits[last].B)
		}
		edits = append(edits, e)
	}
	return t.withoutNoOps(edits, how)
}

// withoutNoOps drops edits that change nothing.
func (t *target) withoutNoOps(edits []Edit, how string) (Found, error) {
	some := len(edits) > 0
	edits = slices.DeleteFunc(edits, func(e Edit) bool { return t.text[e.A:e.B] == e.Text })
	if some && len(edits) == 0 {
		return Found{}, &Refusal{Kind: NoChange, Reason: "the change from old_string to new_string has no effect: they differ only where the file already matches new_string"}
	}
	return Found{Edits: edits, How: how}, nil
}

// search returns every index of pattern in keys, overlapping ones included, in
// linear time (Knuth, Morris and Pratt).
func search(keys, pattern []string) []int {
	if len(pattern) == 0 || len(pattern) > len(keys) {
		return nil
	}
	back := make([]int, len(pattern)) // length of the longest proper border
	for i, k := 1, 0; i < len(pattern); i++ {
		for k > 0 && pattern[i] != pattern[k] {
			k = back[k-1]
		}
		if pattern[i] == pattern[k] {
			k++
		}
		back[i] = k
	}
	var places []int
	for i, k := 0, 0; i < len(keys); i++ {
		for k > 0 && keys[i] != pattern[k] {
			k = back[k-1]
		}
		if keys[i] == pattern[k] {
			k++
		}
		if k == len(pattern) {
			places = append(places, i-k+1)
			k = back[k-1]
		}
	}
	return places
}
