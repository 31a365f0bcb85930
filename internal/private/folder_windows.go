package private

import "io/fs"

// What is in the user's profile has its list of who may do what from there.
func mine(fs.FileInfo) bool { return true }

func open(fs.FileInfo) bool { return false }
