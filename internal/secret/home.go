package secret

import "slices"

// inHome lists files and directories in a home directory that hold secrets or
// private data: keys, accounts, shell history, messages.
var inHome = []string{
	".ssh", ".gnupg", ".aws", ".azure", ".config/gcloud", ".kube", ".docker/config.json", ".config/gh", ".config/hub", ".config/glab-cli", ".netrc", "_netrc",
	".git-credentials", ".config/git/credentials", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials",
	".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties", ".nuget/NuGet", ".config/NuGet", ".composer/auth.json", ".config/composer/auth.json",
	".pgpass", ".my.cnf", ".s3cfg", ".boto", ".vault-token", ".terraform.d", ".terraformrc", ".config/op", ".config/rclone", ".config/sops", ".password-store",
	".local/share/keyrings", ".local/share/kwalletd", ".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge",
	".config/Signal", ".config/Slack", ".config/discord", ".config/Code/User", ".emendo", ".gemini", ".claude", ".claude.json", ".codex", ".config/emendo", ".local/state/emendo",
	".local/share/emendo", ".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history", ".config/fish/fish_history",
	".local/share/fish/fish_history", "Library/Keychains", "Library/Application Support", "Library/Cookies", "Library/Mail", "Library/Messages", "Library/Safari",
}

// InHome returns the files and directories of a home directory that are hidden
// from commands, relative to it.
func InHome() []string { return slices.Clone(inHome) }
