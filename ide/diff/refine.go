package diff

// refineEdits bounds the refinement: a block that differs in more lines is not
// refined. The work is at most its square, and the memory four megabytes; equal
// lines cost almost nothing.
const refineEdits = 1000

// refine appends the change without the lines that both sides share. The anchored
// comparison matches unique lines only; a replaced block may share others. This is
// the greedy algorithm of Myers (An O(ND) difference algorithm and its variations,
// 1986).
func refine(to []change, x, y []int, c change) []change {
	n, m := c.b-c.a, c.d-c.c
	if n == 0 || m == 0 || !share(x[c.a:c.b], y[c.c:c.d]) {
		return join(to, c)
	}
	old, new := x[c.a:c.b], y[c.c:c.d]
	// reach[d][k+d] is how far d edits get in old on diagonal k, which is the
	// number of old lines minus the number of new ones.
	var reach [][]int32
	for d := 0; d <= min(n+m, refineEdits); d++ {
		row := make([]int32, 2*d+1)
		for k := -d; k <= d; k += 2 {
			i := 0
			if d > 0 {
				i = furthest(reach[d-1], d, k)
			}
			j := i - k
			for i < n && j < m && j >= 0 && old[i] == new[j] {
				i, j = i+1, j+1
			}
			row[k+d] = int32(i)
			if i >= n && j >= m {
				return trace(to, append(reach, row), c)
			}
		}
		reach = append(reach, row)
	}
	return join(to, c)
}

// share reports whether any line is on both sides.
func share(old, new []int) bool {
	in := make(map[int]bool, len(old))
	for _, n := range old {
		in[n] = true
	}
	for _, n := range new {
		if in[n] {
			return true
		}
	}
	return false
}

// furthest returns the furthest line in old that the d-th edit reaches on diagonal k.
func furthest(last []int32, d, k int) int {
	down, right := -1, -1 // an insertion comes from k+1, a deletion from k-1
	if k < d {
		if at := k + 1 + d - 1; at < len(last) {
			down = int(last[at])
		}
	}
	if k > -d {
		if at := k - 1 + d - 1; at >= 0 && at < len(last) {
			right = int(last[at]) + 1
		}
	}
	return max(down, right)
}

// trace walks back from the end and appends the changes found on the way.
func trace(to []change, reach [][]int32, c change) []change {
	i, j := c.b-c.a, c.d-c.c
	var back []change
	for d := len(reach) - 1; d > 0; d-- {
		k := i - j
		from := furthest(reach[d-1], d, k)
		// The equal lines after the edit lead from there to i, j.
		i, j = from, from-k
		e := change{i, i, j, j}
		if k > -d && k-1+d-1 >= 0 && k-1+d-1 < len(reach[d-1]) && int(reach[d-1][k-1+d-1])+1 == from {
			e.a, i = i-1, i-1
		} else {
			e.c, j = j-1, j-1
		}
		back = append(back, e)
	}
	for n := len(back) - 1; n >= 0; n-- {
		back[n].shift(c.a, c.c)
		to = join(to, back[n])
	}
	return to
}

// join appends a change; one that adjoins the last is part of it.
func join(to []change, c change) []change {
	if n := len(to) - 1; n >= 0 && to[n].b == c.a && to[n].d == c.c {
		to[n].b, to[n].d = c.b, c.d
		return to
	}
	return append(to, c)
}
