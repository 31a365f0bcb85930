package match

import "slices"

// maxPairs bounds the table of pair for one stretch of changed lines. In longer ones
// a line is compared only with the one at the same position.
const maxPairs = 4096

// pairLines returns for every line of n the line of o that it is or was changed from, or
// -1 if it is new. Equal lines may differ in white space; similar lines share half
// of their tokens.
func pairLines(o, n passage) []int {
	to := align(o.keys(), n.keys())
	a := 0
	for j := 0; j < len(to); {
		if to[j] >= 0 {
			a = to[j] + 1
			j++
			continue
		}
		end := j
		for end < len(to) && to[end] < 0 {
			end++
		}
		b := len(o.lines)
		if end < len(to) {
			b = to[end]
		}
		pairStretch(o, n, a, b, j, end, to)
		if b-a == end-j {
			pairRest(a, to[j:end])
		}
		j = end
	}
	return to
}

// pairStretch pairs lines a to b of o with lines j to end of n, in order, for the
// greatest total similarity.
func pairStretch(o, n passage, a, b, j, end int, to []int) {
	if (b-a)*(end-j) > maxPairs {
		for k := j; k < end && a+k-j < b; k++ {
			if alike(o.lines[a+k-j], n.lines[k]) > 0 {
				to[k] = a + k - j
			}
		}
		return
	}
	w := end - j + 1
	like := make([]float64, (b-a+1)*w)
	best := make([]float64, (b-a+1)*w)
	for x := b - a - 1; x >= 0; x-- {
		for y := end - j - 1; y >= 0; y-- {
			at := x*w + y
			like[at] = alike(o.lines[a+x], n.lines[j+y])
			best[at] = max(best[at+w], best[at+1])
			if like[at] > 0 {
				best[at] = max(best[at], best[at+w+1]+like[at])
			}
		}
	}
	for x, y := 0, 0; x < b-a && y < end-j; {
		at := x*w + y
		switch {
		case like[at] > 0 && best[at] == best[at+w+1]+like[at]:
			to[j+y] = a + x
			x, y = x+1, y+1
		case best[at] == best[at+w]:
			x++
		default:
			y++
		}
	}
}

// pairRest pairs the remaining lines of a stretch with those at the same position.
func pairRest(a int, to []int) {
	for k := range to {
		if to[k] < 0 && !slices.Contains(to, a+k) {
			to[k] = a + k
		}
	}
	if !slices.IsSorted(to) { // they would cross
		for k := range to {
			to[k] = a + k
		}
	}
}

// alike returns the share of tokens that two lines have in common, or zero if it is
// less than half. Words count double, since every line has brackets.
func alike(a, b parsed) float64 {
	count := make(map[string]int, len(a.tokens))
	total, common := 0, 0
	for _, t := range a.tokens {
		count[t.key]++
		total += weight(t)
	}
	for _, t := range b.tokens {
		total += weight(t)
		if count[t.key] > 0 {
			count[t.key]--
			common += 2 * weight(t)
		}
	}
	if share := float64(common) / float64(total); share >= 0.5 {
		return share
	}
	return 0
}

func weight(t token) int {
	if t.word {
		return 2
	}
	return 1
}
