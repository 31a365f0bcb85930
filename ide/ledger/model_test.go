package ledger_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// model models one document as bytes with identities, so that a hunk is where its own
// bytes are, even among equal ones. It is independent of how the ledger tracks spans.
// An edit by the ledger may only replace the bytes of a hunk's old text by its new text,
// or the reverse.
type model struct {
	uri      ide.URI
	blurred  bool // the editor reports whole texts: the owners of equal lines are unknown
	mu       sync.Mutex
	ids      int
	now      moment
	undo     []moment
	redo     []moment
	hunks    []*modelHunk
	deciding string          // the change set being decided: edits are for its hunks first
	paused   bool            // the user has not typed for a while
	seen     map[string]bool // texts that the document has had
	wrong    []string        // violations by edits
	events   []string        // log for the report
}

type cell struct {
	b  byte
	id int
}

// moment is the document at one time, with data that its bytes do not have.
type moment struct {
	cells     []cell
	places    map[*modelHunk]int  // positions of hunks with an empty text
	disturbed map[*modelHunk]bool // the user typed into it
}

type modelHunk struct {
	id        string
	session   string
	old, new  []cell
	dependent bool // based on another pending hunk: its bytes are unknown
	byUser    bool
	failed    bool // its edit was always refused, or it was stale from the start
}

// set returns the ID of the change set.
func (h *modelHunk) set() string { return h.id[:strings.Index(h.id, ".")] }

func (m moment) clone() moment {
	return moment{slices.Clone(m.cells), maps.Clone(m.places), maps.Clone(m.disturbed)}
}

func (m moment) text() string {
	b := make([]byte, len(m.cells))
	for i, c := range m.cells {
		b[i] = c.b
	}
	return string(b)
}

func newModel(uri ide.URI, text string) *model {
	m := &model{uri: uri, seen: map[string]bool{text: true}}
	m.now = moment{m.fresh(text), map[*modelHunk]int{}, map[*modelHunk]bool{}}
	return m
}

// fresh returns new bytes.
func (m *model) fresh(text string) []cell {
	l := make([]cell, len(text))
	for i := range l {
		m.ids++
		l[i] = cell{text[i], m.ids}
	}
	return l
}

// step begins an undo step.
func (m *model) step() {
	m.undo, m.redo = append(m.undo, m.now.clone()), nil
}

// typed applies a change by the user.
func (m *model) typed(a, b int, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.events = append(m.events, fmt.Sprintf("type %d-%d %q", a, b, text))
	m.step()
	m.replace(a, b, m.fresh(text), nil)
	m.disturb()
	m.look()
}

// look handles a text that the document had before. The two moments are
// indistinguishable, so the hunks may be where they were in either.
func (m *model) look() {
	text := m.now.text()
	if m.seen[text] {
		for _, x := range slices.Concat(m.undo, m.redo, []moment{m.now}) {
			for _, h := range m.hunks {
				if x.text() == text {
					x.disturbed[h] = true
				}
			}
		}
	}
	m.seen[text] = true
}

// replace replaces cells by others; but is the hunk that owns them.
func (m *model) replace(a, b int, with []cell, but *modelHunk) {
	d := len(with) - (b - a)
	for h, p := range m.now.places {
		switch {
		case h == but:
		case b <= p && (a < p || b > a) && !(a == b && a == p):
			m.now.places[h] = p + d
		case a >= p && !(a == b && a == p):
		default:
			delete(m.now.places, h)
			m.now.disturbed[h] = true
		}
	}
	m.now.cells = slices.Concat(m.now.cells[:a], with, m.now.cells[b:])
}

// disturb records which hunks are no longer whole lines of their own bytes.
func (m *model) disturb() {
	for _, h := range m.hunks {
		if _, _, ok := m.find(h); !ok || m.blurred {
			m.now.disturbed[h] = true
		}
	}
}

// find returns where a hunk's bytes are and whether they are its new ones.
func (m *model) find(h *modelHunk) (at int, isNew, ok bool) {
	if p, there := m.now.places[h]; there {
		return p, len(h.new) == 0, m.whole(p, p)
	}
	for _, isNew := range []bool{false, true} {
		want := h.old
		if isNew {
			want = h.new
		}
		if len(want) == 0 {
			continue
		}
		i := slices.Index(m.now.cells, want[0])
		if i >= 0 && i+len(want) <= len(m.now.cells) && slices.Equal(m.now.cells[i:i+len(want)], want) && m.whole(i, i+len(want)) {
			return i, isNew, true
		}
	}
	return 0, false, false
}

// whole reports whether a to b are whole lines.
func (m *model) whole(a, b int) bool {
	starts := func(i int) bool {
		if i == 0 || m.now.cells[i-1].b == '\n' {
			return true
		}
		return m.now.cells[i-1].b == '\r' && (i == len(m.now.cells) || m.now.cells[i].b != '\n')
	}
	return starts(a) && (b == len(m.now.cells) || starts(b))
}

// made applies an edit by the ledger that the editor has made in the document.
func (m *model) made(splices []ide.Splice) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.step()
	for _, s := range slices.Backward(splices) {
		m.events = append(m.events, fmt.Sprintf("edit %d-%d %q", s.A, s.B, s.Text))
		m.turn(s)
	}
	m.disturb()
	m.look()
}

// turn toggles the hunk whose bytes a splice replaces: one of the change set being
// decided, or one that these are based on.
func (m *model) turn(s ide.Splice) {
	var own, others []*modelHunk
	for _, h := range m.hunks {
		if h.set() == m.deciding {
			own = append(own, h)
		} else {
			others = append(others, h)
		}
	}
	for _, l := range [][]*modelHunk{own, others} {
		if m.turnKnown(s, l) || m.turnUnknown(s, l) {
			return
		}
	}
	m.wrong = append(m.wrong, fmt.Sprintf("an edit of %q at %d into %q, which no hunk asks for", bytesOf(m.now.cells[s.A:s.B]), s.A, s.Text))
	m.replace(s.A, s.B, m.fresh(s.Text), nil)
}

// turnKnown toggles a hunk at its known bytes.
func (m *model) turnKnown(s ide.Splice, hunks []*modelHunk) bool {
	for _, h := range hunks {
		if h.dependent {
			continue
		}
		at, isNew, ok := m.find(h)
		from, to := h.old, h.new
		if isNew {
			from, to = to, from
		}
		if !ok || m.now.disturbed[h] || at != s.A || at+len(from) != s.B || string(bytesOf(to)) != s.Text {
			continue
		}
		delete(m.now.places, h)
		m.replace(s.A, s.B, to, h)
		if len(to) == 0 {
			m.now.places[h] = s.A
		}
		return true
	}
	return false
}

// turnUnknown toggles a hunk whose bytes are unknown, because the user typed into it and
// back, or because it is based on another one. Its text must be there.
func (m *model) turnUnknown(s ide.Splice, hunks []*modelHunk) bool {
	was := string(bytesOf(m.now.cells[s.A:s.B]))
	for _, h := range hunks {
		old, new := string(bytesOf(h.old)), string(bytesOf(h.new))
		if !h.dependent && !m.now.disturbed[h] {
			continue
		}
		if !(h.dependent && (new == s.Text || new == was)) && !(was == old && s.Text == new) && !(was == new && s.Text == old) {
			continue
		}
		if !m.whole(s.A, s.B) {
			m.wrong = append(m.wrong, fmt.Sprintf("an edit of %d-%d, which are not whole lines", s.A, s.B))
		}
		for _, o := range m.hunks { // it is unknown which of these are in the new text
			if at, _, ok := m.find(o); ok && s.A <= at && at <= s.B {
				m.now.disturbed[o] = true
			}
		}
		m.replace(s.A, s.B, m.fresh(s.Text), nil)
		return true
	}
	return false
}

func bytesOf(l []cell) []byte {
	b := make([]byte, len(l))
	for i, c := range l {
		b[i] = c.b
	}
	return b
}

// travel applies an undo or a redo.
func (m *model) travel(from, to *[]moment) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(*from) - 1
	if n < 0 {
		return
	}
	*to = append(*to, m.now)
	m.now, *from = (*from)[n], (*from)[:n]
	m.events = append(m.events, "travel")
	// Hunks that were proposed since have been there all along.
	m.disturb()
}

// proposed adds a new change set.
func (m *model) proposed(cs ledger.ChangeSet, before []ledger.ChangeSet) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.events = append(m.events, "propose "+cs.ID)
	text := m.now.text()
	for _, v := range m.hunksOf(cs) {
		h := &modelHunk{id: v.ID, session: cs.SessionID, new: m.fresh(v.NewText)}
		m.events = append(m.events, fmt.Sprintf("  %s %s %d-%d %q to %q", v.ID, v.State, v.A, v.B, v.OldText, v.NewText))
		if v.State == ledger.Pending && text[v.A:v.B] == v.OldText && !m.onTop(cs.SessionID, v, before) {
			h.old = slices.Clone(m.now.cells[v.A:v.B])
			if v.A == v.B {
				m.now.places[h] = v.A
			}
		} else {
			h.old = m.fresh(v.OldText)
			h.dependent, h.failed = true, v.State != ledger.Pending
		}
		m.hunks = append(m.hunks, h)
		m.disturb()
		// Earlier moments do not know it either.
		for _, l := range [][]moment{m.undo, m.redo} {
			for _, x := range l {
				x.disturbed[h] = true
			}
		}
	}
}

// hunksOf returns the hunks of a change set in the document.
func (m *model) hunksOf(cs ledger.ChangeSet) []ledger.Hunk {
	for _, f := range cs.Files {
		if f.URI == m.uri {
			return f.Hunks
		}
	}
	return nil
}

// onTop reports whether a hunk may depend on another pending one of its session.
func (m *model) onTop(session string, v ledger.Hunk, sets []ledger.ChangeSet) bool {
	for _, cs := range sets {
		for _, o := range m.hunksOf(cs) {
			if cs.SessionID == session && o.State == ledger.Pending && o.A <= v.B && v.A <= o.B {
				return true
			}
		}
	}
	return false
}

// retext handles the acceptance of a hunk with the user's text.
func (m *model) retext(id, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range m.hunks {
		if h.id == id {
			h.new, h.byUser = m.fresh(text), true
		}
	}
}

// decided records a decision.
func (m *model) decided(d ledger.Decision) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.deciding = d.ChangeSetID
	m.events = append(m.events, fmt.Sprintf("%s %s %s", d.Action, d.ChangeSetID, d.HunkID))
}

// fail records that a hunk's edit was not made.
func (m *model) fail(id, why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range m.hunks {
		if h.id == id {
			m.events = append(m.events, "  conflict "+id+": "+why)
			h.failed = true
		}
	}
}

// check compares the ledger with the model.
func (m *model) check(text string, sets []ledger.ChangeSet, paused bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.paused = paused
	if len(m.wrong) > 0 {
		return fmt.Errorf("%s", strings.Join(m.wrong, "; "))
	}
	if got := m.now.text(); got != text {
		return fmt.Errorf("the editor has %q, the merge is %q", text, got)
	}
	by := map[string]ledger.Hunk{}
	for _, cs := range sets {
		for _, v := range m.hunksOf(cs) {
			by[v.ID] = v
		}
	}
	t := ide.NewText(text)
	for _, h := range m.hunks {
		v := by[h.id]
		if err := m.checkHunk(h, v, t, by); err != nil {
			return fmt.Errorf("%s %s %d-%d %q to %q: %w", v.ID, v.State, v.A, v.B, v.OldText, v.NewText, err)
		}
	}
	return nil
}

func (m *model) checkHunk(h *modelHunk, v ledger.Hunk, t *ide.Text, all map[string]ledger.Hunk) error {
	stands := t.Slice(v.A, v.B)
	if !t.AtLineStart(v.A) || v.B != t.Len() && !t.AtLineStart(v.B) {
		return fmt.Errorf("its span is not whole lines")
	}
	if t.Range(v.A, v.B, ide.UTF16) != v.Range {
		return fmt.Errorf("its range is not its span")
	}
	if m.paused && !h.dependent && v.State == ledger.Pending && stands != v.OldText {
		return fmt.Errorf("the text there is %q", stands)
	}
	for _, o := range all { // a later accepted hunk contains its text, or the part that the user has not changed
		part := !v.Edited && o.A <= v.B && v.A <= o.B
		if o.ID != v.ID && v.State == ledger.Accepted && o.State == ledger.Accepted && (part || o.A <= v.A && v.B <= o.B) && (o.Edited || o.NewText == t.Slice(o.A, o.B)) {
			return nil
		}
	}
	if !h.dependent && v.State == ledger.Accepted && !v.Edited && stands != v.NewText {
		return fmt.Errorf("the text there is %q", stands)
	}
	at, isNew, ok := m.find(h)
	if h.dependent || !ok || m.now.disturbed[h] {
		return nil
	}
	switch {
	case isNew && v.State == ledger.Accepted && (!v.Edited || h.byUser):
	case !isNew && (v.State == ledger.Pending || v.State == ledger.Rejected):
	case !isNew && v.State == ledger.Conflicted && h.failed:
	default:
		return fmt.Errorf("the user has not changed it; the text is the new one: %v", isNew)
	}
	if at != v.A {
		return fmt.Errorf("it is at %d", at)
	}
	return nil
}
