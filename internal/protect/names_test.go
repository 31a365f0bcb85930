package protect_test

import (
	"testing"

	"github.com/emendo-dev/emendo/internal/protect"
)

func TestPathsAreProtectedInEverySpelling(t *testing.T) {
	const open, watched, guarded, sealed = protect.Open, protect.Watched, protect.Guarded, protect.Sealed
	for _, c := range []struct {
		name string
		want protect.Level
		path string
	}{
		{"plain files", open, "main.go"},
		{"files of a folder", open, "a/b.txt"},
		{"the rest of a forge's folder", open, ".github/ISSUE_TEMPLATE.md"},
		{"git's ignore rules", open, ".gitignore"},
		{"a folder that is called git", open, "git/config"},
		{"a name that only begins like one", open, ".gitlab.yml"},
		{"a backup with a tilde", open, "main~1.go"},
		{"a tilde and no number", open, "git~"},
		{"a header and no HEAD", open, "head.html"},
		{"a folder that is called head", open, "head/x.go"},
		{"a colon in a name", open, "a:b"},
		{"nothing", open, ""},
		{"the folder itself", open, "."},

		{"the workflows of a forge", watched, ".github/workflows/ci.yml"},
		{"the pipeline of a forge", watched, ".gitlab-ci.yml"},
		{"a pipeline in other case", watched, "JENKINSFILE"},
		{"instructions for agents", watched, "pkg/AGENTS.md"},
		{"instructions for another agent", watched, "CLAUDE.md"},
		{"instructions for a forge's agent", watched, ".github/copilot-instructions.md"},
		{"rules of an editor's agent", watched, ".cursorrules"},
		{"what runs at a commit", watched, ".pre-commit-config.yaml"},
		{"what runs at a commit, by another program", watched, "lefthook.yml"},
		{"what runs on files of a commit", watched, ".lintstagedrc"},
		{"versions of tools", watched, ".tool-versions"},
		{"the compiler that a tool gets and runs", watched, "crates/rust-toolchain.toml"},
		{"the same in its short form", watched, "rust-toolchain"},
		{"rules of one more agent", watched, ".kilocode/rules/x.md"},
		{"the servers that it starts", guarded, ".kilocode/mcp.json"},
		{"tasks of a development environment", guarded, "src/.vs/tasks.vs.json"},
		{"what it starts", guarded, ".vs/launch.vs.json"},
		{"its other files", open, ".vs/slnx.sqlite"},
		{"what runs at the prompt of a shell", guarded, "mise.toml"},
		{"what Python loads", watched, "sitecustomize.py"},
		{"a file called like an instruction's", open, "agents.txt"},

		{"the repository", sealed, ".git"},
		{"what is in it", sealed, ".git/config"},
		{"a repository further down", sealed, "sub/.git/hooks/pre-commit"},
		{"a submodule's", sealed, ".git/modules/sub/config"},
		{"emendo's settings", sealed, ".emendo/settings.json"},
		{"Gemini CLI's settings", sealed, ".gemini/settings.json"},
		{"a sealed name below a guarded one", sealed, ".vscode/.git/x"},

		{"other case", sealed, ".GIT/config"},
		{"a dot at the end", sealed, ".git./config"},
		{"a space at the end", sealed, ".git /x"},
		{"dots and spaces at the end", sealed, ".git . ./x"},
		{"a character without width", sealed, ".g\u200cit/config"},
		{"a byte order mark", sealed, "\ufeff.git/config"},
		{"a variation selector", sealed, ".git\ufe0f/config"},
		{"a joiner of graphemes", sealed, ".g\u034fit/config"},
		{"full width", sealed, "\uff0e\uff47\uff49\uff54/config"},
		{"full width capitals", sealed, ".\uff27IT/config"},
		{"a stream", sealed, ".git:x/config"},
		{"the index stream of a folder", sealed, ".git::$INDEX_ALLOCATION/config"},
		{"a short name", sealed, "GIT~1/config"},
		{"another short name", sealed, "emendo~1/settings.json"},
		{"a short name with a large number", sealed, "EMEND~10/x"},
		{"a short name with a sum", sealed, "gi7eba~1/config"},
		{"the other slash", sealed, `sub\.git\config`},

		{"an editor's settings", guarded, ".vscode/settings.json"},
		{"another editor's", guarded, ".idea/x"},
		{"a workspace file", guarded, "x.code-workspace"},
		{"a workspace file, short", guarded, "X~1.COD"},
		{"a hook", guarded, ".husky/pre-commit"},
		{"a long s", guarded, ".hu\u017fky/pre-commit"},
		{"a directory's environment", guarded, ".envrc"},
		{"keys", guarded, "home/.ssh/config"},
		{"a shell's start file in other case", guarded, ".BashRC"},
		{"an interpreter's start file", guarded, "analysis/.Rprofile"},
		{"its environment", guarded, ".Renviron"},
		{"the start file of Elixir's shell", guarded, "apps/web/.iex.exs"},
		{"that of OCaml's", guarded, ".ocamlinit"},
		{"that of Erlang's", guarded, ".erlang"},
		{"a debugger's", guarded, ".gdbinit"},
		{"a start file, short", guarded, "BASHRC~1"},
		{"a container, short", guarded, "DEVCON~1.JSO"},
		{"a shell's folder", guarded, ".config/fish/config.fish"},
		{"jobs at log-in", guarded, "Library/LaunchAgents/x.plist"},
		{"other settings", open, ".config/app/x"},
		{"what a model may see", guarded, ".emendoignore"},
		{"the file that makes a folder a repository", guarded, "sub/HEAD"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := protect.Of(c.path); got != c.want {
				t.Errorf("the level of %q is %d, want %d", c.path, got, c.want)
			}
		})
	}
}

func TestEveryListedNameIsProtected(t *testing.T) {
	for _, l := range []protect.Level{protect.Watched, protect.Guarded, protect.Sealed} {
		for _, name := range protect.Names(l) {
			if got := protect.Of("a/" + name + "/b"); got != l {
				t.Errorf("the level of %q is %d, want %d", name, got, l)
			}
		}
	}
}

func BenchmarkOf(b *testing.B) {
	for b.Loop() {
		protect.Of("internal/server/handlers/session_handler_test.go")
	}
}
