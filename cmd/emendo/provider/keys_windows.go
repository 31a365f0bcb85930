package provider

import "io/fs"

const openAsIs = 0

// ownFile says whether a file is this user's: here the access list of its
// folder decides.
func ownFile(fs.FileInfo) bool { return true }
