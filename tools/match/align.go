package match

import "sort"

// maxCells bounds the table of align for one stretch. Longer stretches without a
// common unique element count as entirely different.
const maxCells = 4 << 20

// align pairs equal elements of a and b in order, as many as possible. It returns
// for every element of b the index of its partner in a, or -1.
func align(a, b []string) []int {
	to := make([]int, len(b))
	for i := range to {
		to[i] = -1
	}
	alignRange(a, b, 0, len(a), 0, len(b), to)
	return to
}

func alignRange(a, b []string, a0, a1, b0, b1 int, to []int) {
	for a0 < a1 && b0 < b1 && a[a0] == b[b0] {
		to[b0] = a0
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && a[a1-1] == b[b1-1] {
		a1, b1 = a1-1, b1-1
		to[b1] = a1
	}
	switch {
	case a0 == a1 || b0 == b1:
	case (a1-a0)*(b1-b0) <= maxCells:
		alignTable(a, b, a0, a1, b0, b1, to)
	default:
		anchors := unique(a, b, a0, a1, b0, b1)
		for _, n := range anchors {
			alignRange(a, b, a0, n[0], b0, n[1], to)
			to[n[1]] = n[0]
			a0, b0 = n[0]+1, n[1]+1
		}
		if len(anchors) > 0 {
			alignRange(a, b, a0, a1, b0, b1, to)
		}
	}
}

// alignTable finds a longest common subsequence.
func alignTable(a, b []string, a0, a1, b0, b1 int, to []int) {
	w := b1 - b0 + 1
	best := make([]int32, (a1-a0+1)*w)
	for i := a1 - a0 - 1; i >= 0; i-- {
		for j := b1 - b0 - 1; j >= 0; j-- {
			if a[a0+i] == b[b0+j] {
				best[i*w+j] = best[(i+1)*w+j+1] + 1
			} else {
				best[i*w+j] = max(best[(i+1)*w+j], best[i*w+j+1])
			}
		}
	}
	for i, j := 0, 0; i < a1-a0 && j < b1-b0; {
		switch {
		case a[a0+i] == b[b0+j]:
			to[b0+j] = a0 + i
			i, j = i+1, j+1
		case best[(i+1)*w+j] >= best[i*w+j+1]:
			i++
		default:
			j++
		}
	}
}

// unique returns pairs of elements that occur once in each stretch, as many as are
// in the same order in both.
func unique(a, b []string, a0, a1, b0, b1 int) [][2]int {
	type seen struct{ inA, inB, i, j int }
	count := map[string]*seen{}
	for i := a0; i < a1; i++ {
		s := count[a[i]]
		if s == nil {
			s = &seen{}
			count[a[i]] = s
		}
		s.inA, s.i = s.inA+1, i
	}
	for j := b0; j < b1; j++ {
		if s := count[b[j]]; s != nil {
			s.inB, s.j = s.inB+1, j
		}
	}
	var pairs [][2]int // ascending in a
	for i := a0; i < a1; i++ {
		if s := count[a[i]]; s.inA == 1 && s.inB == 1 {
			pairs = append(pairs, [2]int{i, s.j})
		}
	}
	return ascending(pairs)
}

// ascending returns a longest sequence of pairs whose second elements ascend too.
func ascending(pairs [][2]int) [][2]int {
	var ends []int // index of the pair that ends the best run of each length
	from := make([]int, len(pairs))
	for n, p := range pairs {
		k := sort.Search(len(ends), func(k int) bool { return pairs[ends[k]][1] >= p[1] })
		from[n] = -1
		if k > 0 {
			from[n] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, n)
		} else {
			ends[k] = n
		}
	}
	run := make([][2]int, len(ends))
	if len(ends) > 0 {
		for n, k := ends[len(ends)-1], len(ends)-1; n >= 0; n, k = from[n], k-1 {
			run[k] = pairs[n]
		}
	}
	return run
}

// fill pairs elements of b without a partner with those at the same position in the
// stretch of a that they replace, as far as that stretch goes.
func fill(to []int, lenA int) []int {
	full := make([]int, len(to))
	limits := make([]int, len(to)) // the next partner in a
	limit := lenA
	for j := len(to) - 1; j >= 0; j-- {
		if to[j] >= 0 {
			limit = to[j]
		}
		limits[j] = limit
	}
	next := 0
	for j, i := range to {
		if i >= 0 {
			next = i + 1
			full[j] = i
			continue
		}
		full[j] = -1
		if next < limits[j] {
			full[j] = next
			next++
		}
	}
	return full
}
