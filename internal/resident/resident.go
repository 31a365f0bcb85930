// Package resident keeps the memory of an idle program small.
package resident

import "runtime/debug"

// Trim gives back the memory that only the start of the program needed: garbage and,
// on Linux, the mapped pages of the program's file. It takes some milliseconds and is
// meant for the background.
func Trim() error {
	debug.FreeOSMemory()
	return unmapFile()
}
