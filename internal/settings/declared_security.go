package settings

var securitySettings = []setting{
	{
		key:     "security.auth.selectedType",
		doc:     "How to sign in. Empty takes the first credential found; `gateway` lets a base URL stand without a key.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Security.Auth.SelectedType },
		initial: "",
	},
}
