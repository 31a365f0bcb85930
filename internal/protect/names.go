package protect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/own"
	"github.com/emendo-dev/emendo/internal/paths"
)

// Level is how strictly a path is protected from changes.
type Level int

// The levels, from the weakest.
const (
	Open    Level = iota
	Watched       // edits need approval in mode auto_edit; commands that somebody allowed may change it
	Guarded       // changes need approval in every mode
	Sealed        // changed only if a rule of the user says so
)

// Files that decide about emendo itself, and version control's own data, are
// sealed.
var sealedNames = append([]string{".git"}, own.Folders()...)

// Files that make other programs run code, or decide what a model may see, are
// guarded.
var guardedNames = []string{
	// editors
	".vscode", ".idea", ".fleet", ".zed", ".helix", ".exrc", ".vimrc", ".gvimrc", ".vim", ".nvimrc", ".nvim.lua", ".lvimrc",
	".nvim", ".luarc.json", ".luarc.jsonc", ".dir-locals.el", ".dir-locals-2.el", ".emacs", ".emacs.d", ".devcontainer", ".devcontainer.json",
	// other agents
	".claude", ".claude.json", ".cursor", ".codex", ".continue", ".windsurf", ".roo", ".cline", ".opencode", "opencode.json", ".amazonq", ".kiro", ".qwen",
	".aider.conf.yml", ".mcp.json", "mcp.json",
	// version control and its hooks
	".husky", ".githooks", ".lazygit.yml", ".gitconfig", ".gitmodules", ".gitattributes", ".lfsconfig", ".hg", ".svn", ".jj",
	// shells and sessions
	".envrc", ".autoenv", ".autoenv.zsh", ".autoenv_leave.zsh", ".rvmrc", "mise.toml", ".mise.toml", "mise.local.toml", ".mise", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc", ".zshrc", ".zshenv", ".zprofile",
	".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".pam_environment",
	"profile.ps1", "microsoft.powershell_profile.ps1",
	// interpreters and debuggers, which read them from the current directory
	".rprofile", ".renviron", ".pdbrc", ".ghci", ".irbrc", ".pryrc", ".gdbinit", ".lldbinit", ".iex.exs", ".ocamlinit", ".erlang", ".octaverc", ".byebugrc", ".rdbgrc", ".perldb", ".sqliterc", ".psqlrc",
	// keys, accounts and package registries
	".ssh", ".gnupg", "authorized_keys", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".netrc", "_netrc",
	// scheduled jobs
	"crontab", ".crontab", "cron.d", "cron.daily", "cron.hourly", "cron.weekly", "cron.monthly",
	// what a model may see
	".emendoignore", ".geminiignore",
}

// contextNames are instructions for agents, and their settings: what a later session
// reads. They are watched.
var contextNames = []string{
	"agents.md", "claude.md", "gemini.md", "agent.md", "warp.md", "copilot-instructions.md", "agents.override.md", "claude.local.md", ".cursorrules", ".windsurfrules", ".clinerules", ".rules", ".goosehints",
	".junie", ".kilocode", ".trae", ".augment", ".factory", ".agents", "crush.json", ".crush.json",
}

// contextPlaces lists directories of such instructions on forges.
var contextPlaces = [][]string{
	{".github", "instructions"},
	{".github", "prompts"},
	{".github", "agents"},
	{".github", "chatmodes"},
}

// Files that instruct other agents, or run elsewhere or later (on a forge, at a
// commit, when a tool starts), are watched. Users let agents write these, and
// git changes them, so they are not guarded.
var watchedNames = slices.Concat(contextNames, []string{
	// pipelines of forges and builders
	".gitlab-ci.yml", ".gitlab-ci.yaml", ".travis.yml", "jenkinsfile", ".circleci", ".buildkite", "azure-pipelines.yml", "azure-pipelines.yaml", "bitbucket-pipelines.yml",
	".drone.yml", ".woodpecker.yml", ".woodpecker.yaml", ".woodpecker", ".cirrus.yml", "appveyor.yml", ".appveyor.yml", "cloudbuild.yaml", "buildspec.yml", ".builds",
	// commit hooks
	".pre-commit-config.yaml", ".pre-commit-config.yml", ".pre-commit-hooks.yaml", "lefthook.yml", "lefthook.yaml", "lefthook.toml", "lefthook-local.yml", ".lefthook", ".lefthook.yml", ".lefthook.yaml", ".overcommit.yml", ".simple-git-hooks.json",
	".lintstagedrc", ".lintstagedrc.json", ".lintstagedrc.yaml", ".lintstagedrc.yml", ".lintstagedrc.js", ".lintstagedrc.cjs", ".lintstagedrc.mjs", "lint-staged.config.js", "lint-staged.config.mjs", "lint-staged.config.cjs",
	// files that tools load from the current directory
	".tool-versions", "rust-toolchain", "rust-toolchain.toml", "devbox.json", ".bazelrc", ".buckconfig", ".mvn", ".pnpmfile.cjs", ".pnpmfile.mjs", ".pnp.cjs", ".yarn", "bunfig.toml", "pip.conf", ".condarc", ".gemrc", ".bundle",
	"sitecustomize.py", "usercustomize.py", ".pythonstartup", ".vimrc.local", ".editorrc", ".tmuxinator.yml", ".gitpod.yml", ".replit",
})

// watchedPlaces lists watched directories and files on forges.
var watchedPlaces = slices.Concat(contextPlaces, [][]string{
	{".github", "workflows"},
	{".github", "actions"},
	{".github", "hooks"},
	{".github", "dependabot.yml"},
	{".github", "codeowners"},
	{".gitlab", "ci"},
	{".gitea", "workflows"},
	{".forgejo", "workflows"},
})

// guardedEnds lists guarded endings of names.
var guardedEnds = []string{".code-workspace", ".sublime-project", ".sublime-workspace"}

// headName is the file that makes git take a directory for a repository.
const headName = "head"

// guardedPlaces lists directories and files whose last name alone is not enough
// to recognise them.
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

var names = map[Level][]string{Sealed: sealedNames, Guarded: guardedNames, Watched: watchedNames}

// Names returns the names that are protected at a level anywhere in a
// workspace, in lower case.
func Names(l Level) []string { return slices.Clone(names[l]) }

// Of returns the level of a path by its names, whether it exists or not. The
// path is relative to its workspace folder.
func Of(path string) Level {
	level := Open
	elements := paths.Elements(path)
	for i, name := range elements {
		if name == "" {
			continue
		}
		level = max(level, cmp.Or(ofName(name), ofShort(name)))
		switch at := elements[:i+1]; {
		case isPlace(at, guardedPlaces), i == len(elements)-1 && name == headName:
			level = max(level, Guarded)
		case isPlace(at, watchedPlaces):
			level = max(level, Watched)
		}
	}
	return level
}

// IsContext reports whether a path, relative to its workspace folder, has instructions
// for agents.
func IsContext(path string) bool {
	elements := paths.Elements(path)
	for i, name := range elements {
		if slices.Contains(contextNames, name) || isPlace(elements[:i+1], contextPlaces) {
			return true
		}
	}
	return false
}

// isPlace reports whether the elements of a path end in one of the places.
func isPlace(elements []string, places [][]string) bool {
	return slices.ContainsFunc(places, func(place []string) bool {
		return len(elements) >= len(place) && slices.Equal(elements[len(elements)-len(place):], place)
	})
}

// ofName returns the level of a name in its usual form.
func ofName(name string) Level {
	for _, l := range []Level{Sealed, Guarded, Watched} {
		if slices.Contains(names[l], name) {
			return l
		}
	}
	if slices.ContainsFunc(guardedEnds, func(end string) bool { return name != end && strings.HasSuffix(name, end) }) {
		return Guarded
	}
	return Open
}
