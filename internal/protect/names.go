package protect

import "slices"

// Level says how far a path is kept from changes.
type Level int

// The levels, from the weakest.
const (
	Open    Level = iota
	Watched       // asked about in mode auto_edit; commands may change it
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
	".husky", ".githooks", ".lazygit.yml", ".gitconfig", ".gitmodules", ".gitattributes", ".hg", ".svn", ".jj",
	// shells and sessions
	".envrc", "mise.toml", ".mise.toml", "mise.local.toml", ".mise", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc", ".zshrc", ".zshenv", ".zprofile",
	".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".pam_environment",
	"profile.ps1", "microsoft.powershell_profile.ps1",
	// interpreters and debuggers, which read them where they are started
	".rprofile", ".renviron", ".pdbrc", ".ghci", ".irbrc", ".pryrc", ".gdbinit", ".lldbinit", ".iex.exs", ".ocamlinit", ".erlang",
	// keys, accounts and package registries
	".ssh", ".gnupg", "authorized_keys", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".netrc", "_netrc",
	// scheduled jobs
	"crontab", ".crontab", "cron.d", "cron.daily", "cron.hourly", "cron.weekly", "cron.monthly",
	// what a model may see
	".emendoignore", ".geminiignore",
}

// What tells other agents what to do, or runs elsewhere or later (on a forge, at a
// commit, at the start of a tool), is watched. People have an agent write these,
// and git changes them, so they are not guarded.
var watchedNames = []string{
	// instructions for agents, and their settings
	"agents.md", "claude.md", "gemini.md", "agent.md", "warp.md", "copilot-instructions.md", "agents.override.md", "claude.local.md", ".cursorrules", ".windsurfrules", ".clinerules", ".rules", ".goosehints",
	".junie", ".kilocode", ".trae", ".augment", ".factory", ".agents", "crush.json", ".crush.json",
	// pipelines of forges and builders
	".gitlab-ci.yml", ".gitlab-ci.yaml", ".travis.yml", "jenkinsfile", ".circleci", ".buildkite", "azure-pipelines.yml", "azure-pipelines.yaml", "bitbucket-pipelines.yml",
	".drone.yml", ".woodpecker.yml", ".woodpecker.yaml", ".woodpecker", ".cirrus.yml", "appveyor.yml", ".appveyor.yml", "cloudbuild.yaml", "buildspec.yml", ".builds",
	// commit hooks
	".pre-commit-config.yaml", ".pre-commit-config.yml", ".pre-commit-hooks.yaml", "lefthook.yml", "lefthook.yaml", "lefthook.toml", "lefthook-local.yml", ".lefthook", ".lefthook.yml", ".lefthook.yaml", ".overcommit.yml", ".simple-git-hooks.json",
	".lintstagedrc", ".lintstagedrc.json", ".lintstagedrc.yaml", ".lintstagedrc.yml", ".lintstagedrc.js", ".lintstagedrc.cjs", ".lintstagedrc.mjs", "lint-staged.config.js", "lint-staged.config.mjs", "lint-staged.config.cjs",
	// what tools load where they are started
	".tool-versions", "rust-toolchain", "rust-toolchain.toml", "devbox.json", ".bazelrc", ".buckconfig", ".mvn", ".pnpmfile.cjs", ".pnpmfile.mjs", ".pnp.cjs", ".yarn", "bunfig.toml", "pip.conf", ".condarc", ".gemrc", ".bundle",
	"sitecustomize.py", "usercustomize.py", ".pythonstartup", ".vimrc.local", ".editorrc", ".tmuxinator.yml", ".gitpod.yml", ".replit",
}

// watchedPlaces are folders and files on a forge that are watched.
var watchedPlaces = [][]string{
	{".github", "workflows"},
	{".github", "actions"},
	{".github", "instructions"},
	{".github", "prompts"},
	{".github", "agents"},
	{".github", "chatmodes"},
	{".github", "hooks"},
	{".github", "dependabot.yml"},
	{".github", "codeowners"},
	{".gitlab", "ci"},
	{".gitea", "workflows"},
	{".forgejo", "workflows"},
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
	{".vs", "tasks.vs.json"},
	{".vs", "launch.vs.json"},
	{".kilocode", "mcp.json"},
}

// Names are the single names that are kept at a level, wherever they stand in
// a workspace, in lower case.
func Names(l Level) []string {
	switch l {
	case Sealed:
		return slices.Clone(sealedNames)
	case Guarded:
		return slices.Clone(guardedNames)
	case Watched:
		return slices.Clone(watchedNames)
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
		level = max(level, atPlace(names[:i+1], guardedPlaces, Guarded), atPlace(names[:i+1], watchedPlaces, Watched))
		if i == len(names)-1 && name == headName {
			level = max(level, Guarded)
		}
	}
	return level
}

// atPlace is the level when the names end in one of the places.
func atPlace(names []string, places [][]string, level Level) Level {
	for _, place := range places {
		if n := len(place); len(names) >= n && slices.Equal(names[len(names)-n:], place) {
			return level
		}
	}
	return Open
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
	case slices.Contains(watchedNames, name):
		return Watched
	}
	for _, end := range guardedEnds {
		if len(name) > len(end) && name[len(name)-len(end):] == end {
			return Guarded
		}
	}
	return Open
}
