package settings

var securitySettings = []setting{
	{
		key:     "security.auth.selectedType",
		doc:     "How to sign in. Empty takes the first credential found; `gateway` lets a base URL stand without a key.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Security.Auth.SelectedType },
		initial: "",
	},
	{
		key:     "security.disableAlwaysAllow",
		doc:     "No question offers to allow calls always, and what was always allowed before counts for nothing: each call that needs a question is asked about.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Security.NoAlways },
		initial: false,
	},
	{
		key:     "security.environmentVariableRedaction.allowed",
		doc:     "Names of further variables of the environment that commands get. They get those that are known to be harmless, such as `PATH`, `LANG` and the folders of toolchains; what emendo itself signs in with they never get.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Security.KeptVariables },
		initial: []string{},
	},
}
