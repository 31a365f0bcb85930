package match

import "github.com/emendo-dev/emendo/ide/diff"

// align pairs equal elements of a and b in order, as [diff.Elements] finds them. It returns
// for every element of b the index of its partner in a, or -1.
func align(a, b []string) []int {
	to := make([]int, 0, len(b))
	i := 0
	pair := func(end int) {
		for ; len(to) < end; i++ {
			to = append(to, i)
		}
	}
	for _, k := range diff.Elements(a, b) {
		pair(k.New.Line)
		for len(to) < k.New.End {
			to = append(to, -1)
		}
		i = k.Old.End
	}
	pair(len(b))
	return to
}

// pairReplaced pairs elements of b without a partner with those at the same position in the
// stretch of a that they replace, as far as that stretch goes.
func pairReplaced(to []int, lenA int) []int {
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
