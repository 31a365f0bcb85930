package cli

import _ "embed" // the scripts

// The scripts that complete command lines in a shell. Each asks the program for the
// candidates with the words that were typed: emendo completion candidates WORD...
var (
	//go:embed scripts/emendo.bash
	bash string
	//go:embed scripts/emendo.zsh
	zsh string
	//go:embed scripts/emendo.fish
	fish string
	//go:embed scripts/emendo.ps1
	powershell string
)

// A Script completes command lines in one shell.
type Script struct {
	Shell string
	Text  string
	Start string // the line for the file that the shell reads when it starts
}

// Scripts returns the script for each shell.
func Scripts() []Script {
	return []Script{
		{"bash", bash, "source <(emendo completion bash)"},
		{"zsh", zsh, "source <(emendo completion zsh)"},
		{"fish", fish, "emendo completion fish | source"},
		{"powershell", powershell, "emendo completion powershell | Out-String | Invoke-Expression"},
	}
}
