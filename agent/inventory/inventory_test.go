package inventory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/internal/trust"
)

// project makes a folder with these files.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func scan(t *testing.T, dir string) Inventory {
	t.Helper()
	v, err := Scan(Options{Folder: dir, ContextNames: []string{"AGENTS.md", "GEMINI.md"}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEmptyFolder(t *testing.T) {
	v := scan(t, project(t, map[string]string{"main.go": "package main", ".git/config": "[core]\n\tbare = false\n\tfsmonitor = false\n[remote \"origin\"]\n\turl = https://example.com/x\n"}))
	if !v.Empty() || len(v.Git) != 0 {
		t.Errorf("got %+v", v)
	}
	if got := v.Text(nil); got != "It contains nothing that would start or configure anything.\n" {
		t.Errorf("said %q", got)
	}
}

func TestEntriesThatWouldStart(t *testing.T) {
	dir := project(t, map[string]string{
		".gemini/settings.json": `{
			// As a user of Gemini CLI writes it.
			"hooks": {"BeforeTool": [{"matcher": "run_.*", "hooks": [{"type": "command", "command": "./a.sh", "name": "lint", "env": {"A": "1"}}, {"type": "plugin", "name": "p"}]}]},
			"mcpServers": {"db": {"command": "node", "args": ["server.js"], "env": {"TOKEN": "$T"}, "cwd": "srv"}, "far": {"httpUrl": "https://far.example/mcp", "headers": {"K": "v"}}},
			"tools": {"discoveryCommand": "./find-tools", "callCommand": "./call-tool"},
			"mcp": {"serverCommand": "./all"},
		}`,
		".emendo/settings.json": `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "b"}]}], "SessionStart": [{"hooks": [{"type": "command", "command": "c"}]}]}}`,
	})
	want := []trust.Entry{
		{Kind: trust.Hook, Name: "BeforeTool 1.1 (lint)", On: "BeforeTool", Command: "./a.sh", Env: map[string]string{"A": "1"}},
		{Kind: trust.Hook, Name: "BeforeTool 2.1", On: "BeforeTool", Command: "b"},
		{Kind: trust.Hook, Name: "SessionStart 1.1", On: "SessionStart", Command: "c"},
		{Kind: trust.Server, Name: "db", Command: "node", Args: []string{"server.js"}, Env: map[string]string{"TOKEN": "$T"}, Dir: filepath.Join(dir, "srv"), Sandboxed: true},
		{Kind: trust.Server, Name: "far", URL: "https://far.example/mcp", Headers: map[string]string{"K": "v"}},
		{Kind: trust.Server, Name: "mcp", Command: "./all", Sandboxed: true},
		{Kind: trust.Discovery, Name: "tools.discoveryCommand", Command: "./find-tools"},
		{Kind: trust.Discovery, Name: "tools.callCommand", Command: "./call-tool"},
	}
	if diff := cmp.Diff(scan(t, dir).Starts, want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
	if diff := cmp.Diff(Starts(Options{Folder: dir}), want); diff != "" {
		t.Errorf("the quick way: got -, want +:\n%s", diff)
	}
}

// Invalid servers do not hide the others, and are reported.
func TestInvalidServersAreReported(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(".gemini/settings.json", `{"mcpServers": {"bad": {"command": ["x"]}, "good": {"command": "y"}}}`)
	write(".emendo/settings.json", `{"mcpServers": {"none": {}}}`)
	v, err := Scan(Options{Folder: dir})
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Starts) != 1 || v.Starts[0].Name != "good" {
		t.Errorf("it would start %+v", v.Starts)
	}
	text := v.Text(nil)
	for _, want := range []string{`.gemini/settings.json:1:36: "mcpServers.bad.command" must be a string, not a list`, `.emendo/settings.json:1:25: "mcpServers.none" must have a command, a url or an httpUrl`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
}

func TestSettingsThatWouldApply(t *testing.T) {
	dir := project(t, map[string]string{
		".gemini/settings.json":            `{"model": {"name": "gemini-2.5-flash"}, "security.auth.selectedType": "gateway", "tools": {"sandbox": "off"}, "strange": 1}`,
		".emendo/settings.json":            `{"model": `,
		".gemini/commands/git/commit.toml": "", ".emendo/commands/a.txt": "", ".gemini/agents/a.md": "", ".gemini/policies/p.toml": "", ".agents/skills/s/SKILL.md": "", ".claude/skills/u/SKILL.md": "", ".gemini/skills/t/SKILL.md": "",
		".env": "", ".gemini/.env": "", ".gemini/system.md": "", "AGENTS.md": "", "sub/deep/GEMINI.md": "", "node_modules/x/AGENTS.md": "", ".git/AGENTS.md": "",
	})
	v := scan(t, dir)
	want := []Item{
		{"settings", ".gemini/settings.json", "model.name, security.auth.selectedType, strange, tools.sandbox; ignored in a project: security.auth.selectedType, tools.sandbox"},
		{"command", ".gemini/commands/git/commit.toml", ""},
		{"agent", ".gemini/agents/a.md", ""},
		{"policy", ".gemini/policies/p.toml", ""},
		{"skill", ".gemini/skills/t/SKILL.md", ""},
		{"system prompt", ".gemini/system.md", "read only when EMENDO_SYSTEM_MD asks for it"},
		{"environment", ".gemini/.env", "never read by emendo"},
		{"skill", ".agents/skills/s/SKILL.md", ""},
		{"skill", ".claude/skills/u/SKILL.md", ""},
		{"environment", ".env", "never read by emendo"},
		{"context", "AGENTS.md", ""},
		{"context", "sub/deep/GEMINI.md", ""},
	}
	if diff := cmp.Diff(v.Items, want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
	if len(v.Unread) != 1 || !strings.Contains(v.Unread[0], "settings.json:1:") {
		t.Errorf("not read: %q", v.Unread)
	}
}

func TestProgramsOfGit(t *testing.T) {
	const config = `
[core]
	fsmonitor = ./evil ; it runs at every status
	pager = "less" \
-R
[alias]
	st = status
	x = !./evil
[Filter "a.b \"c"]
	Clean = ./evil %f
[includeIf "gitdir:/home/"]
	path = ../evil.config
[url "ext::sh -c evil"]
	insteadOf = https://
[remote "origin"]
	url = ext::./evil
[protocol "ext"]
	allow = always
[diff]
	external
[submodule "m"]
	update = !./evil
[tar "x"]
	command = ./evil
[gpg "ssh"]
	defaultKeyCommand = ./evil
[hook "x"]
	command = ./evil
`
	want := []string{
		"core.fsmonitor = ./evil", "core.pager = less -R", "alias.x = !./evil", `filter.a.b "c.clean = ./evil %f`, "includeif.gitdir:/home/.path = ../evil.config",
		"url.ext::sh -c evil.insteadof = https://", "remote.origin.url = ext::./evil", "protocol.ext.allow = always", "diff.external = true", "submodule.m.update = !./evil",
		"tar.x.command = ./evil", "gpg.ssh.defaultkeycommand = ./evil", "hook.x.command = ./evil",
	}
	check := func(t *testing.T, v Inventory, path string) {
		t.Helper()
		var got []string
		for _, i := range v.Git {
			got = append(got, i.Says)
			if i.Path != path {
				t.Errorf("it is in %s, want %s", i.Path, path)
			}
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("got -, want +:\n%s", diff)
		}
	}
	t.Run("in a repository", func(t *testing.T) {
		check(t, scan(t, project(t, map[string]string{".git/config": config})), ".git/config")
	})
	t.Run("in a folder of a repository", func(t *testing.T) {
		dir := project(t, map[string]string{".git/config": config, "sub/a": ""})
		check(t, scan(t, filepath.Join(dir, "sub")), filepath.Join(dir, ".git/config"))
	})
	t.Run("in another work tree", func(t *testing.T) {
		dir := project(t, map[string]string{"main/.git/config": config, "main/.git/worktrees/w/commondir": "../..\n", "w/.git": "gitdir: ../main/.git/worktrees/w\n"})
		check(t, scan(t, filepath.Join(dir, "w")), filepath.Join(dir, "main/.git/config"))
	})
	t.Run("and its hooks", func(t *testing.T) {
		dir := project(t, map[string]string{".git/config": "", ".git/hooks/pre-commit": "", ".git/hooks/post-merge": "", ".git/hooks/pre-push.sample": "", "evil.sh": ""})
		for _, name := range []string{".git/hooks/pre-commit", ".git/hooks/pre-push.sample", "evil.sh"} {
			if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink("../../evil.sh", filepath.Join(dir, ".git/hooks/pre-push")); err != nil {
			t.Fatal(err)
		}
		checkGit(t, dir, Item{What: "git", Path: ".git/hooks/pre-commit"}, Item{What: "git", Path: ".git/hooks/pre-push"})
	})
}

func checkGit(t *testing.T, dir string, want ...Item) {
	t.Helper()
	if diff := cmp.Diff(scan(t, dir).Git, want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
}

// What cannot be checked is reported: it could contain anything.
func TestLargeGitFilesAreReported(t *testing.T) {
	const evil = "[core]\n\tfsmonitor = ./evil\n"
	padding := strings.Repeat("\n", maxConfig)
	t.Run("its settings", func(t *testing.T) {
		checkGit(t, project(t, map[string]string{".git/config": padding + evil}), Item{"git", ".git/config", "cannot be checked: larger than 256 KiB"})
	})
	t.Run("the file .git", func(t *testing.T) {
		checkGit(t, project(t, map[string]string{".git": "gitdir: far\n" + padding, "far/config": evil}), Item{"git", ".git", "cannot be checked: larger than 256 KiB"})
	})
	t.Run("the way to what work trees share", func(t *testing.T) {
		checkGit(t, project(t, map[string]string{".git/commondir": "../far\n" + padding, "far/config": evil}), Item{"git", ".git/commondir", "cannot be checked: larger than 256 KiB"})
	})
}

// Git uses the nearest repository, so a command in a subfolder does too.
func TestNestedRepositoriesAreChecked(t *testing.T) {
	const evil = "[core]\n\tfsmonitor = ./evil\n"
	const says = "core.fsmonitor = ./evil"
	bare := func(in string, files map[string]string) map[string]string {
		for _, name := range []string{"HEAD", "objects/x", "refs/x"} {
			files[in+name] = ""
		}
		files[in+"config"] = evil
		return files
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"a repository", map[string]string{"sub/.git/config": evil, "sub/.git/HEAD": ""}, "sub/.git/config"},
		{"one that is no work tree", bare("docs/old/", map[string]string{}), "docs/old/config"},
		{"the folder itself", bare("", map[string]string{}), "config"},
		{"the folder itself, behind what only has the name of one", bare("", map[string]string{".git/x": ""}), "config"},
		{"a submodule", map[string]string{".git/HEAD": "", ".git/objects/x": "", ".git/refs/x": "", "m/.git": "gitdir: ../.git/modules/m\n", ".git/modules/m/config": evil}, ".git/modules/m/config"},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkGit(t, project(t, c.files), Item{"git", c.want, says})
		})
	}
}

func TestTextEscapesInvisibleCharacters(t *testing.T) {
	dir := project(t, map[string]string{
		"a.sh":                            "echo",
		".gemini/settings.json":           "{\"hooks\": {\"BeforeTool\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"./a.sh\\u001b[2K\\u202e ok\", \"env\": {\"LD_PRELOAD\": \"x\"}}]}]}}",
		".gemini/commands/\u202egpj.toml": "",
	})
	v := scan(t, dir)
	look, err := trust.Open(t.TempDir()).Approved(dir, v.Starts[0])
	if err != nil {
		t.Fatal(err)
	}
	got := v.Text([]trust.Look{look})
	want := `It would start these, each only in its current version:
  hook BeforeTool 1.1: ./a.sh\u{001B}[2K\u{202E} ok
    sets LD_PRELOAD=x
    in the sandbox, if one is available
    needs approval in each session, because it may run files that this approval does not cover: it contains the invisible character U+001B
Of these 1 you are asked about 1 in each session.
It would apply:
  settings .gemini/settings.json: hooks.BeforeTool
  command .gemini/commands/\u{202E}gpj.toml
`
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
}

// The user sees where a hook runs, and whether its approval can be stored.
func TestTextSaysHowHooksRun(t *testing.T) {
	dir := project(t, map[string]string{
		"a.sh":                  "echo",
		".gemini/settings.json": `{"hooks": {"AfterAgent": [{"hooks": [{"type": "command", "command": "./a.sh"}, {"type": "command", "command": "make test"}, {"type": "command", "command": "bash a.sh"}]}]}}`,
	})
	v, err := Scan(Options{Folder: dir, Outside: []string{"bash a.sh"}})
	if err != nil {
		t.Fatal(err)
	}
	store := trust.Open(t.TempDir())
	var looks []trust.Look
	for _, e := range v.Starts {
		look, err := store.Approved(dir, e)
		if err != nil {
			t.Fatal(err)
		}
		looks = append(looks, look)
	}
	want := `It would start these, each only in its current version:
  hook AfterAgent 1.1: ./a.sh
    with a.sh
    in the sandbox, if one is available
  hook AfterAgent 1.2: make test
    in the sandbox, if one is available
    needs approval in each session, because it may run files that this approval does not cover: make runs commands from project files
  hook AfterAgent 1.3: bash a.sh
    with a.sh
    outside the sandbox, as your settings say
    needs approval in each session, because it may run files that this approval does not cover: it runs outside the sandbox, where files of the folder can be changed after they were checked
Of these 3 you are asked about 2 in each session.
It would apply:
  settings .gemini/settings.json: hooks.AfterAgent
`
	if diff := cmp.Diff(v.Text(looks), want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
}

// A list that is too long to read hides its entries.
func TestTextIsBounded(t *testing.T) {
	files := map[string]string{".git/config": strings.Repeat("[core]\n\tpager = x\n", 1000)}
	var keys strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&keys, `"k%d": 1, `, i)
		if i < 100 {
			files[fmt.Sprintf(".gemini/commands/%d.toml", i)] = ""
		}
	}
	files[".gemini/settings.json"] = "{" + keys.String() + `"general.maxAttempts": 3}`
	text := scan(t, project(t, files)).Text(nil)
	if len(text) > 8<<10 || !strings.Contains(text, "and 4961 more") || !strings.Contains(text, "and 988 more") {
		t.Errorf("it has %d bytes:\n%.2000s", len(text), text)
	}
}

// Links, pipes and endless files neither block the scan nor lead it out of the
// folder.
func TestHostileFolder(t *testing.T) {
	outside := project(t, map[string]string{"settings.json": `{"mcpServers": {"x": {"command": "x"}}}`, "commands/c.toml": ""})
	dir := project(t, map[string]string{"huge/.emendo/settings.json": "", ".emendo/x": ""})
	for link, target := range map[string]string{".gemini": outside, "loop": ".", ".emendo/commands": filepath.Join(outside, "commands"), ".emendo/settings.json": "/dev/zero", ".git": "/dev/zero"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	v := scan(t, dir)
	if len(v.Starts) != 0 {
		t.Errorf("it would start %+v", v.Starts)
	}
	for _, i := range v.Items {
		t.Errorf("it would apply %+v", i)
	}
}
