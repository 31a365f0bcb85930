package agent

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"
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
		part = foldName(part)
		switch {
		case slices.Contains(sealedNames, part):
			return sealed
		case slices.Contains(guardedNames, part), strings.HasSuffix(part, ".code-workspace"):
			level = guardedPath
		}
	}
	return level
}

// foldName is a name as the most forgiving of file systems sees it: without
// case, without characters that have no width, without dots and spaces at its
// end.
func foldName(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, s)
	return strings.TrimRight(s, ". ")
}
