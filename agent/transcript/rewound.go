package transcript

import "slices"

// Lost says for each of a session's records whether it was taken out by a
// rewind. A turn whose beginning is not among them began before them.
func Lost(rs []Record) []bool {
	out := make([]bool, len(rs))
	for i, r := range rs {
		e, ok := r.Event.(Rewound)
		if !ok {
			continue
		}
		from := max(0, slices.IndexFunc(rs[:i], func(o Record) bool { return o.Turn == e.TurnID }))
		for j := from; j < i; j++ {
			out[j] = out[j] || !lasting(rs[j].Event)
		}
	}
	return out
}

// lasting says whether an event is about the session, and not part of the
// conversation.
func lasting(e Event) bool {
	switch e := e.(type) { //nolint:gochecksumtype // the other events are the conversation
	case Started, ModeChanged, ModelChanged, InfoChanged, CommandsChanged, Proposals, Decisions, Summary, Excluded, Rewound:
		return true
	case Given:
		return e.Kind == KindEnvironment || e.Kind == KindFolders || e.Kind == KindStart
	}
	return false
}

// Surviving are the records that no rewind has taken out, without the rewinds.
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

func Rewinds(rs []Record) bool {
	return slices.ContainsFunc(rs, func(r Record) bool { _, ok := r.Event.(Rewound); return ok })
}

// TurnsFrom gives the ids of a turn and of all turns after it, those included
// that were taken out already; nil when there is no such turn.
func TurnsFrom(rs []Record, turnID string) []string {
	gone := Lost(rs)
	var l []string
	for i, r := range rs {
		known := r.Turn == turnID && !gone[i] && !lasting(r.Event)
		if r.Turn != "" && (known || len(l) > 0) && !slices.Contains(l, r.Turn) {
			l = append(l, r.Turn)
		}
	}
	return l
}
