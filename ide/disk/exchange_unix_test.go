//go:build unix && !linux

package disk

import "os"

// exchange swaps a and b in three steps.
func exchange(a, b, spare string) {
	os.Rename(a, spare) //nolint:errcheck // the next round tries again
	os.Rename(b, a)     //nolint:errcheck // likewise
	os.Rename(spare, b) //nolint:errcheck // likewise
}
