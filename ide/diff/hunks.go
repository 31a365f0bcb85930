package diff

// Between is the least number of unchanged lines between two hunks.
const Between = 3

// Hunks compares two texts and joins changes with fewer than [Between]
// unchanged lines between them.
func Hunks(old, new string) []Block { return group(Lines(old, new), Between) }

// group joins blocks with fewer than between equal lines between them.
func group(l []Block, between int) []Block {
	var out []Block
	for _, b := range l {
		if n := len(out) - 1; n >= 0 && b.Old.Line-out[n].Old.End < between {
			out[n].Old.End, out[n].Old.B = b.Old.End, b.Old.B
			out[n].New.End, out[n].New.B = b.New.End, b.New.B
			continue
		}
		out = append(out, b)
	}
	return out
}
