package langserver

// executable are the extensions of programs.
var executable = []string{".exe", ".cmd"}

// isExecutable reports whether the file at path can be run.
func isExecutable(path string) bool { return isFile(path) }
