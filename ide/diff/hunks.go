package diff

// Between is the least number of unchanged lines between two hunks.
const Between = 3

// Hunks compares two texts and joins changes with fewer than [Between]
// unchanged lines between them.
func Hunks(old, new string) []Block {
	var out []Block
	for _, b := range Lines(old, new) {
		if n := len(out) - 1; n >= 0 && b.Old.Line-out[n].Old.End < Between {
			out[n].Old.End, out[n].Old.B = b.Old.End, b.Old.B
			out[n].New.End, out[n].New.B = b.New.End, b.New.B
			continue
		}
		out = append(out, b)
	}
	return out
}
