// Package diff compares texts line by line, cuts the difference into hunks and
// prints and parses unified diffs. It keeps every line end as it is and knows
// nothing of files.
package diff
