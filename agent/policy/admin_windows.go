package policy

// checkAdmin accepts everything: access is limited by the list that files
// inherit from the administrator's directory.
func checkAdmin(string) error { return nil }
