package protect

import "slices"

// Level says how far a path is kept from changes.
type Level int

// The levels, from the weakest.
const (
	Open    Level = iota
	Guarded       // asked about in every mode
	Sealed        // changed only when a rule of the user says so
)

// What decides about emendo itself, and what belongs to version control, is
// sealed.
var sealedNames = []string{".git", ".emendo", ".gemini"}

// What makes other programs run code, or decides what a model may see, is
// guarded.
var guardedNames = []string{
	// editors
	".vscode", ".idea", ".fleet", ".zed", ".helix", ".exrc", ".vimrc", ".gvimrc", ".vim", ".nvimrc", ".nvim.lua", ".lvimrc",
	".dir-locals.el", ".dir-locals-2.el", ".emacs", ".emacs.d", ".devcontainer", ".devcontainer.json",
	// other agents
	".claude", ".claude.json", ".cursor", ".codex", ".continue", ".windsurf", ".roo", ".cline", ".opencode", "opencode.json", ".amazonq", ".kiro", ".qwen",
	".aider.conf.yml", ".mcp.json",
	// version control and its hooks
	".husky", ".githooks", ".gitconfig", ".gitmodules", ".gitattributes", ".hg", ".svn", ".jj",
	// shells and sessions
	".envrc", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc", ".zshrc", ".zshenv", ".zprofile",
	".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".pam_environment",
	"profile.ps1", "microsoft.powershell_profile.ps1",
	// interpreters and debuggers, which read them where they are started
	".rprofile", ".pdbrc", ".ghci", ".irbrc", ".pryrc", ".gdbinit", ".lldbinit",
	// keys, accounts and package registries
	".ssh", ".gnupg", "authorized_keys", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".netrc", "_netrc",
	// scheduled jobs
	"crontab", ".crontab", "cron.d", "cron.daily", "cron.hourly", "cron.weekly", "cron.monthly",
	// what a model may see
	".emendoignore", ".geminiignore",
}

// guardedEnds are ends of names that are guarded whatever stands before.
var guardedEnds = []string{".code-workspace"}

// headName is the file without which a folder is no repository for git.
const headName = "head"

// guardedPlaces are folders and files whose last name alone says nothing.
var guardedPlaces = [][]string{
	{".config", "fish"},
	{".config", "git"},
	{".config", "autostart"},
	{".config", "systemd"},
	{".config", "environment.d"},
	{".config", "nvim"},
	{".config", "helix"},
	{".config", "emacs"},
	{".config", "zed"},
	{"library", "launchagents"},
	{"spool", "cron"},
	{".docker", "config.json"},
	{".cargo", "config"},
	{".cargo", "config.toml"},
}

// Names are the single names that are kept at a level, wherever they stand in
// a workspace, in lower case.
func Names(l Level) []string {
	switch l {
	case Sealed:
		return slices.Clone(sealedNames)
	case Guarded:
		return slices.Clone(guardedNames)
	case Open:
		return nil
	}
	panic("protect: unknown level")
}

// Of says how far a path is kept from changes by its names, whether it exists
// or not. The path is relative to its workspace folder: above that, names are
// the user's own affair.
func Of(path string) Level {
	level := Open
	names := Elements(path)
	for i, name := range names {
		if name == "" {
			continue
		}
		level = max(level, ofName(name))
		for _, place := range guardedPlaces {
			if n := len(place); i+1 >= n && slices.Equal(names[i+1-n:i+1], place) {
				level = max(level, Guarded)
			}
		}
		if i == len(names)-1 && name == headName {
			level = max(level, Guarded)
		}
	}
	return level
}

func ofName(name string) Level {
	if l := listed(name); l != Open {
		return l
	}
	return ofShort(name)
}

func listed(name string) Level {
	switch {
	case slices.Contains(sealedNames, name):
		return Sealed
	case slices.Contains(guardedNames, name):
		return Guarded
	}
	for _, end := range guardedEnds {
		if len(name) > len(end) && name[len(name)-len(end):] == end {
			return Guarded
		}
	}
	return Open
}
