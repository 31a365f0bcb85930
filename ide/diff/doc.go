// Package diff compares texts line by line, cuts the difference into hunks and
// prints and parses unified diffs. It preserves line ends and knows nothing of
// files.
package diff
