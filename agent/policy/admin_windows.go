package policy

// checkAdmin trusts the access list that the administrator's folder passes on.
func checkAdmin(string) error { return nil }
