package agent

import (
	"path/filepath"
	"slices"
	"strings"
)

type protectionLevel int

const (
	open        protectionLevel = iota
	guardedPath                 // asked about in every mode
	sealed                      // never changed
)

// What decides about emendo itself, or belongs to version control, is sealed.
var sealedNames = []string{".git", ".emendo", ".gemini"}

// What makes other programs run code is guarded: editors' and agents'
// settings, hooks, start files of shells, keys, scheduled jobs.
var guardedNames = []string{
	".vscode", ".idea", ".husky", ".githooks", ".envrc", ".devcontainer", ".devcontainer.json", ".claude", ".cursor", ".codex", ".aider.conf.yml",
	".mcp.json", ".ssh", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin",
	".gitconfig", ".gitmodules", ".gitattributes", "crontab", "cron.d", ".npmrc", ".pypirc", ".netrc", "authorized_keys",
}

// protection says how far a path, relative to its workspace folder, is kept
// from edits, whatever its case and whether it exists or not.
func protection(path string) protectionLevel {
	level := open
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		part = strings.ToLower(strings.TrimRight(part, ". "))
		switch {
		case slices.Contains(sealedNames, part):
			return sealed
		case slices.Contains(guardedNames, part), strings.HasSuffix(part, ".code-workspace"):
			level = guardedPath
		}
	}
	return level
}
