package settings

var securitySettings = []setting{
	{
		key:     "security.auth.selectedType",
		doc:     "How to sign in. Empty uses the first credential found; `gateway` allows a base URL without a key.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Security.Auth.SelectedType },
		initial: "",
	},
	{
		key:     "security.disableAlwaysAllow",
		doc:     "Do not offer to allow calls always, and ignore earlier approvals of this kind: ask about each call that needs approval.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Security.NoAlways },
		initial: false,
	},
	{
		key:     "security.environmentVariableRedaction.allowed",
		doc:     "Additional environment variables to pass to commands. By default, commands get only variables that are known to be harmless, such as `PATH`, `LANG` and the folders of toolchains. They never get emendo's own credentials.",
		scope:   user,
		field:   func(s *Settings) any { return &s.Security.KeptVariables },
		initial: []string{},
	},
}
