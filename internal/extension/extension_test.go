package extension_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/internal/extension"
	"github.com/emendo-dev/emendo/internal/settings"
)

// put writes files into a folder.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// folders returns the folders in which extensions are found, and their common one.
func folders(t *testing.T) (extension.Options, string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return extension.Options{Config: filepath.Join(base, "config"), Gemini: filepath.Join(base, ".gemini"), Project: filepath.Join(base, "work")}, base
}

func manifest(name string, more string) string {
	return `{"name": "` + name + `", "version": "1.0"` + more + `}`
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{
		"gemini-extension.json": `{
			"name": "db", "version": "2.1", "description": "Asks\nthe database",
			"mcpServers": {
				"pg": {"command": "node", "args": ["${extensionPath}${/}server.js", "${workspacePath}/x"], "env": {"A": "${extensionPath}"}, "cwd": "${extensionPath}", "trust": true},
				"web": {"httpUrl": "https://db.test", "headers": {"K": "$TOKEN"}}
			},
			"contextFileName": ["DB.md", "docs/more.md", "gone.md", "../outside.md"],
			"excludeTools": ["run_shell_command(rm -rf)", "web_fetch"],
			"settings": [{"name": "Token", "description": "x", "envVar": "TOKEN", "sensitive": true}, {"name": "x", "envVar": "OTHER"}],
			"themes": []
		}`,
		"hooks/hooks.json": `{"hooks": {"BeforeTool": [{"matcher": "*", "hooks": [{"type": "command", "name": "guard", "command": "node \"${extensionPath}/guard.js\" ${workspacePath}"}]}]}}`,
		".env":             "TOKEN=\"a b\"\nSECRET=x\n# remark\n",
		"DB.md":            "x", "docs/more.md": "x",
	})
	e, err := extension.Read(dir, "/ext/db")
	if err != nil {
		t.Fatal(err)
	}
	want := settings.MCPServers{
		"pg":  {Command: "node", Args: []string{"/ext/db/server.js", "${workspaceFolder}/x"}, Env: map[string]string{"A": "/ext/db", "TOKEN": "a b"}, Cwd: "/ext/db", Origin: settings.OfExtension, File: "/ext/db/gemini-extension.json"},
		"web": {HTTPURL: "https://db.test", Headers: map[string]string{"K": "$TOKEN"}, Origin: settings.OfExtension, File: "/ext/db/gemini-extension.json"},
	}
	if diff := cmp.Diff(e.Servers, want); diff != "" {
		t.Errorf("servers: got -, want +:\n%s", diff)
	}
	wantHooks := settings.HookList{{
		Matcher: "*", Hooks: []settings.HookEntry{{Type: "command", Name: "guard", Command: `node "/ext/db/guard.js" $GEMINI_PROJECT_DIR`, Env: map[string]string{"TOKEN": "a b"}}},
		Origin: settings.OfExtension, Extension: "db", Home: "/ext/db",
	}}
	if diff := cmp.Diff(e.Hooks.BeforeTool, wantHooks); diff != "" {
		t.Errorf("hooks: got -, want +:\n%s", diff)
	}
	if e.Name != "db" || e.Version != "2.1" || e.Description != "Asks the database" {
		t.Errorf("got %+v", e)
	}
	if diff := cmp.Diff([][]string{e.Context, e.Exclude}, [][]string{{"DB.md", "docs/more.md"}, {"run_shell_command(rm -rf)", "web_fetch"}}); diff != "" {
		t.Error(diff)
	}
	if len(e.Problems) != 1 || !strings.Contains(e.Problems[0].String(), `contextFileName "../outside.md" is outside the extension`) {
		t.Errorf("problems: %v", e.Problems)
	}
}

// A path that a shell would take apart is in no command line.
func TestHooksOfAnExtensionWithAStrangePath(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{
		"gemini-extension.json": manifest("x", ""),
		"hooks/hooks.json":      `{"hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "${extensionPath}/a"}, {"type": "command", "command": "true"}]}]}}`,
	})
	e, err := extension.Read(dir, "/ext/$(touch x)")
	if err != nil || len(e.Problems) != 1 || !strings.Contains(e.Problems[0].What, "a hook of AfterTool is left out") {
		t.Fatalf("%v, %v", e.Problems, err)
	}
	if h := e.Hooks.AfterTool[0].Hooks; h[0].Type == "command" || h[1].Command != "true" {
		t.Errorf("hooks: %+v", h)
	}
}

func TestFind(t *testing.T) {
	o, base := folders(t)
	put(t, base, map[string]string{
		"config/extensions/a/gemini-extension.json":                  manifest("a", ""),
		"config/extensions/.new-1/gemini-extension.json":             manifest("unfinished", ""),
		"config/extensions/file":                                     "x",
		"config/extensions/empty/README.md":                          "x",
		"config/extensions/broken/gemini-extension.json":             `{"name": `,
		"config/extensions/unnamed/gemini-extension.json":            manifest("../x", ""),
		"config/extensions/old/gemini-extension.json":                `{"name": "old"}`,
		"config/extensions/typed/gemini-extension.json":              manifest("typed", `, "mcpServers": {"x": {"command": 3}}`),
		".gemini/extensions/a/gemini-extension.json":                 manifest("a", ""),
		".gemini/extensions/b/gemini-extension.json":                 manifest("b", ""),
		".gemini/extensions/elsewhere/gemini-extension.json":         manifest("elsewhere", ""),
		".gemini/extensions/here/gemini-extension.json":              manifest("here", ""),
		".gemini/extensions/linked/.gemini-extension-install.json":   `{"type": "link", "source": "` + filepath.ToSlash(filepath.Join(base, "source")) + `"}`,
		".gemini/extensions/extension-enablement.json":               `{"elsewhere": {"overrides": ["!` + base + `/*"]}, "here": {"overrides": ["!` + base + `/*", "` + base + `/work/"]}}`,
		"source/gemini-extension.json":                               manifest("linked", ""),
		"work/.gemini/extensions/b/gemini-extension.json":            manifest("b", ""),
		"work/.gemini/extensions/c/gemini-extension.json":            manifest("c", ""),
		"work/.emendo/extensions/d/gemini-extension.json":            manifest("d", ""),
		"work/.emendo/extensions/off/gemini-extension.json":          manifest("off", ""),
		"work/.gemini/extensions/far/.gemini-extension-install.json": `{"type": "link", "source": "` + filepath.ToSlash(filepath.Join(base, "source")) + `"}`,
		"work/.gemini/extensions/c/GEMINI.md":                        "x",
		"work/.gemini/extensions/c/hooks/hooks.json":                 `{"hooks": 3}`,
		"outside/gemini-extension.json":                              manifest("outside", ""),
	})
	if err := os.Symlink(filepath.Join(base, "outside"), filepath.Join(base, "work/.gemini/extensions/outside")); err != nil {
		t.Fatal(err)
	}
	o.Disabled = []string{"off"}
	l := extension.Find(o)
	short := func(s string) string { return strings.ReplaceAll(s, base, "$") }
	var got []string
	for _, e := range l.Extensions {
		got = append(got, strings.TrimSpace(e.Name+" "+short(e.Dir)+" "+short(e.Off)))
	}
	want := []string{
		"a $/config/extensions/a",
		"a $/.gemini/extensions/a hidden by $/config/extensions/a/gemini-extension.json",
		"b $/.gemini/extensions/b",
		"b $/work/.gemini/extensions/b hidden by $/.gemini/extensions/b/gemini-extension.json",
		"c $/work/.gemini/extensions/c",
		"d $/work/.emendo/extensions/d",
		"elsewhere $/.gemini/extensions/elsewhere disabled",
		"here $/.gemini/extensions/here",
		"linked $/source",
		"off $/work/.emendo/extensions/off disabled",
		"typed $/config/extensions/typed",
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
	var problems []string
	for _, p := range l.Problems {
		problems = append(problems, short(p.String()))
	}
	for i, want := range []string{
		"$/config/extensions/broken: no extension: gemini-extension.json: not valid JSON",
		"$/config/extensions/empty: no extension: it has no gemini-extension.json",
		"$/config/extensions/old: no extension: gemini-extension.json: version is missing",
		`$/config/extensions/unnamed: no extension: gemini-extension.json: invalid name "../x"`,
		"$/work/.gemini/extensions/far: no extension: it has no gemini-extension.json",
		"$/work/.gemini/extensions/outside: no extension: ",
	} {
		if i >= len(problems) || !strings.HasPrefix(problems[i], want) {
			t.Fatalf("problem %d is not %q: %q", i, want, problems)
		}
	}
	own := extension.OfProject(o.Project, o.Gemini)
	if names := func() (s string) {
		for _, e := range own.Extensions {
			s += e.Name
		}
		return s
	}(); names != "bcdoff" || len(own.Used()) != 4 {
		t.Errorf("of the project: %s", names)
	}
}

// In the user's home, .gemini is not a project's folder.
func TestTheHomeIsNotAProject(t *testing.T) {
	o, base := folders(t)
	put(t, base, map[string]string{".gemini/extensions/b/gemini-extension.json": manifest("b", "")})
	o.Project = base
	if l := extension.Find(o); len(l.Extensions) != 1 || l.Extensions[0].Project != "" {
		t.Errorf("got %+v", l)
	}
}

func TestExtender(t *testing.T) {
	o, base := folders(t)
	put(t, base, map[string]string{
		"config/extensions/a/gemini-extension.json":       manifest("a", `, "excludeTools": ["web_fetch"]`),
		"config/extensions/a/hooks/hooks.json":            `{"hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "x"}]}]}}`,
		"work/.gemini/extensions/b/gemini-extension.json": manifest("b", `, "excludeTools": ["glob"]`),
		"config/settings.json":                            `{"tools": {"exclude": ["grep_search"]}, "hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "own"}]}]}}`,
	})
	for trusted, want := range map[bool][]string{true: {"grep_search", "web_fetch", "glob"}, false: {"grep_search", "web_fetch"}} {
		s, warnings, err := settings.Load(settings.Options{Paths: settings.Paths{Config: o.Config}, ProjectDir: o.Project, Trusted: trusted, Extend: extension.Extender(o.Config, o.Gemini)})
		if err != nil || len(warnings) > 0 {
			t.Fatal(warnings, err)
		}
		if diff := cmp.Diff(s.Tools.Exclude, want); diff != "" {
			t.Errorf("trusted %t: %s", trusted, diff)
		}
		if h := s.Hooks.AfterTool; len(h) != 2 || h[0].Hooks[0].Command != "own" || h[1].Extension != "a" {
			t.Errorf("hooks: %+v", h)
		}
	}
}
