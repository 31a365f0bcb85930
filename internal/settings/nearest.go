package settings

import (
	"slices"
	"strings"
)

// Nearest is the one of candidates that takes the fewest letters to come from
// name, whatever their case, and how many it takes.
func Nearest(name string, candidates []string) (nearest string, letters int) {
	nearest = nearestOf(name, candidates)
	return nearest, distance(name, nearest)
}

// nearestOf is the one of candidates that takes the fewest letters to come from
// name; empty without candidates.
func nearestOf(name string, candidates []string) string {
	if len(candidates) == 0 {
		return ""
	}
	name = name[:min(len(name), 100)]
	return slices.MinFunc(candidates, func(a, b string) int { return distance(name, a) - distance(name, b) })
}

// nearest returns the declared key or group of keys that takes the fewest
// letters to come from key. Of a very long key the beginning counts.
func nearest(key string) string {
	var all []string
	for _, d := range declared {
		all = append(all, d.key)
		for i, c := range d.key {
			if c == '.' {
				all = append(all, d.key[:i])
			}
		}
	}
	return nearestOf(key, all)
}

// distance counts the letters to insert, delete or replace to make b from a,
// whatever their case.
func distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
