package private

import "io/fs"

// AsIs is nothing: the access list of the folder protects the file.
const AsIs = 0

// IsMine returns true: folders in the user's profile inherit an access list that
// excludes others.
func IsMine(fs.FileInfo) bool { return true }

func roots(fs.FileInfo) bool { return true }

func othersMayUse(fs.FileInfo) bool { return false }
