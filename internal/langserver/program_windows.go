package langserver

// executable are the extensions of programs.
var executable = []string{".exe", ".cmd"}

// runs reports whether the file at path can be run.
func runs(path string) bool { return isFile(path) }
