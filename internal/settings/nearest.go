package settings

import "strings"

// nearest returns the declared key or group of keys that takes the fewest
// letters to come from key. Of a very long key the beginning counts.
func nearest(key string) string {
	key = key[:min(len(key), 100)]
	best, fewest := "", len(key)+1000
	consider := func(candidate string) {
		if d := distance(key, candidate); d < fewest {
			best, fewest = candidate, d
		}
	}
	for _, d := range declared {
		consider(d.key)
		for i, c := range d.key {
			if c == '.' {
				consider(d.key[:i])
			}
		}
	}
	return best
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
