package transcript

import "slices"

// Lost reports for each record of a session whether a rewind removed it. A turn whose
// start is not in rs began before them.
func Lost(rs []Record) []bool {
	out := make([]bool, len(rs))
	for i, r := range rs {
		e, ok := r.Event.(Rewound)
		if !ok {
			continue
		}
		from := max(0, slices.IndexFunc(rs[:i], func(o Record) bool { return o.Turn == e.TurnID }))
		for j := from; j < i; j++ {
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

// Surviving returns the records that no rewind removed, without the rewinds.
func Surviving(rs []Record) []Record {
	gone := Lost(rs)
	out := make([]Record, 0, len(rs))
	for i, r := range rs {
		if _, ok := r.Event.(Rewound); !ok && !gone[i] {
			out = append(out, r)
		}
	}
	return out
}

// Rewinds reports whether one of the records is a rewind.
func Rewinds(rs []Record) bool {
	return slices.ContainsFunc(rs, func(r Record) bool { _, ok := r.Event.(Rewound); return ok })
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
