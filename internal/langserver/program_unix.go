//go:build !windows

package langserver

import "os"

// executable are the extensions of programs.
var executable = []string{""}

// isExecutable reports whether the file at path can be run.
func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
