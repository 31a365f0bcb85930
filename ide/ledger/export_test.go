package ledger

// Cell is a cell of the table of a hunk, by names.
type Cell struct{ Event, Situation, Effect string }

// Rows returns the table of a hunk, by events.
func Rows() (l [][]Cell) {
	eventNames := [events]string{"accept", "reject", "keep", "undo", "reopen", "old text", "new text", "other text", "base gone", "close", "commit"}
	situationNames := [situations]string{"pending", "unreviewed", "reviewed", "rejected", "lost"}
	effectNames := [drop + 1]string{"unfit", "stays", "putIn", "turnDown", "keep", "takeBack", "withdraw", "ask", "wait", "apply", "edit", "conflict", "follow", "drop"}
	for e, row := range table {
		l = append(l, nil)
		for s, do := range row {
			l[e] = append(l[e], Cell{eventNames[e], situationNames[s], effectNames[do]})
		}
	}
	return l
}
