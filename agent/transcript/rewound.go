package transcript

import (
	"slices"
	"time"
)

// removal has the records that a rewind removed: those from one to before the rewind itself.
type removal struct {
	turn     string
	from, to int
}

// removals returns what the rewinds removed that were not undone, in their order. A turn whose
// start is not in rs began before them.
func removals(rs []Record) (l []removal) {
	for i, r := range rs {
		switch e := r.Event.(type) { //nolint:gochecksumtype // the others remove nothing
		case Rewound:
			from := max(0, slices.IndexFunc(rs[:i], func(o Record) bool { return o.Turn == e.TurnID }))
			l = append(l, removal{e.TurnID, from, i})
		case Redone:
			if n := len(l); n > 0 { // else the rewind is before the records
				l = l[:n-1]
			}
		}
	}
	return l
}

// Lost reports for each record of a session whether a rewind removed it.
func Lost(rs []Record) []bool {
	out := make([]bool, len(rs))
	for _, gone := range removals(rs) {
		for j := gone.from; j < gone.to; j++ {
			out[j] = out[j] || !outlasts(rs[j].Event)
		}
	}
	return out
}

// outlasts reports whether an event concerns the session rather than the conversation.
func outlasts(e Event) bool {
	if g, ok := e.(Given); ok {
		return g.Kind == KindEnvironment || g.Kind == KindFolders || g.Kind == KindStart
	}
	return hasTrait(e, lasting)
}

// isRewind reports whether an event is a rewind, or undoes one.
func isRewind(e Event) bool {
	switch e.(type) { //nolint:gochecksumtype // the others are not
	case Rewound, Redone:
		return true
	}
	return false
}

// Surviving returns the records that no rewind removed, without the rewinds.
func Surviving(rs []Record) []Record {
	gone := Lost(rs)
	out := make([]Record, 0, len(rs))
	for i, r := range rs {
		if !isRewind(r.Event) && !gone[i] {
			out = append(out, r)
		}
	}
	return out
}

// Rewinds reports whether one of the records is a rewind, or undoes one.
func Rewinds(rs []Record) bool {
	return slices.ContainsFunc(rs, func(r Record) bool { return isRewind(r.Event) })
}

// RewoundTo returns the first turn of each rewind that was not undone, in their order.
func RewoundTo(rs []Record) (turns []string) {
	for _, gone := range removals(rs) {
		turns = append(turns, gone.turn)
	}
	return turns
}

// Back is a way back to before a turn, or forth again.
type Back struct {
	TurnID string
	Redone bool // the turn and what came after it are part of the session again

	// Of a redo: the updates that are there again, the chunks of each message merged, and when
	// they were removed: what came later stands behind them.
	Updates []Update
	At      time.Time
}

// RedoneBy returns what a [Redone] brings back: the last one of all records, or the one before so
// many later ones.
func RedoneBy(session string, rs []Record, later int) Back {
	b := Back{Redone: true}
	at := -1
	for i, r := range slices.Backward(rs) {
		if _, ok := r.Event.(Redone); ok {
			if later == 0 {
				at = i
				break
			}
			later--
		}
	}
	before := removals(rs[:max(at, 0)])
	if len(before) == 0 {
		return b
	}
	rs = rs[:at+1]
	gone, last := Lost(rs), before[len(before)-1]
	b.TurnID, b.At = last.turn, rs[last.to].At
	b.Updates, _ = updatesOf(session, rs[last.from:last.to], gone[last.from:last.to], 0)
	return b
}

// TurnsOfRounds returns the turns that are part of a session and are of the rounds of comments
// after one round, up to another.
func TurnsOfRounds(rs []Record, after, to int) (l []string) {
	gone := Lost(rs)
	var in rounds
	for i, r := range rs {
		if gone[i] {
			continue
		}
		in.CountRound(r.Event)
		_, prompts := r.Event.(UserChunk)
		if n := in.Round(); prompts && r.Turn != "" && n > after && n <= to && !slices.Contains(l, r.Turn) {
			l = append(l, r.Turn)
		}
	}
	return l
}

// TurnsFrom returns the IDs of a turn and of all turns after it, including turns that
// were already rewound. It returns nil if there is no such turn.
func TurnsFrom(rs []Record, turnID string) []string {
	gone := Lost(rs)
	var l []string
	for i, r := range rs {
		known := r.Turn == turnID && !gone[i] && !outlasts(r.Event)
		if r.Turn != "" && (known || len(l) > 0) && !slices.Contains(l, r.Turn) {
			l = append(l, r.Turn)
		}
	}
	return l
}
