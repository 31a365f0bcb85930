// Package spelling finds the word that a misspelled one was meant to be. It knows
// nothing of what the words name.
package spelling

import (
	"slices"
	"strings"
)

// longest bounds the part of a word that is compared, in bytes.
const longest = 100

// Nearest returns the candidate with the smallest edit distance to name, case
// ignored, and that distance. Only the beginning of a very long name counts. The
// candidate is empty if there are none.
func Nearest(name string, candidates []string) (nearest string, letters int) {
	name = name[:min(len(name), longest)]
	if len(candidates) == 0 {
		return "", len(name)
	}
	nearest = slices.MinFunc(candidates, func(a, b string) int { return distance(name, a) - distance(name, b) })
	return nearest, distance(name, nearest)
}

// distance returns how many bytes to insert, delete or replace to turn a into b,
// case ignored.
func distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	b = b[:min(len(b), 2*longest)]
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
