package main

import "os"

// runs says whether there is a process with that id.
func runs(pid int) bool {
	p, err := os.FindProcess(pid) // fails when there is none
	if err != nil {
		return false
	}
	_ = p.Release() // it was only looked for
	return true
}
