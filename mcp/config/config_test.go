package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/mcp/config"
)

// put writes files below a folder.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// load reads the servers of a home and a project with these files.
func load(t *testing.T, files map[string]string) (list config.List, home, project string) {
	t.Helper()
	base := t.TempDir()
	put(t, base, files)
	home, project = filepath.Join(base, "home"), filepath.Join(base, "project")
	if err := os.MkdirAll(project, 0o755); err != nil {
		t.Fatal(err)
	}
	set, _, err := settings.Load(settings.Options{Paths: settings.Paths{Config: filepath.Join(home, "config")}, ProjectDir: project, Trusted: true})
	if err != nil {
		t.Fatal(err)
	}
	return config.Load(config.Options{Settings: set, Folder: project, Projects: []string{project}, GeminiDir: filepath.Join(home, ".gemini")}), home, project
}

func TestSourcesAndPrecedence(t *testing.T) {
	list, home, project := load(t, map[string]string{
		"home/config/settings.json":     `{"mcpServers": {"a": {"command": "own", "trust": true, "timeout": 1500, "cwd": "sub"}}, "mcp": {"excluded": ["off"]}}`,
		"home/.gemini/settings.json":    `{"theme": "x", "mcpServers": {"a": {"command": "gemini"}, "b": {"command": "gemini", "trust": true}, "off": {"command": "x"}}}`,
		"project/.emendo/settings.json": `{"mcpServers": {"b": {"command": "project"}, "c": {"command": "emendo", "trust": true, "sandbox": true}}}`,
		"project/.gemini/settings.json": `{"mcpServers": {"c": {"command": "gemini"}, "d": {"httpUrl": "https://d.test", "headers": {"K": "v"}}}}`,
		"project/.mcp.json":             `{"mcpServers": {"d": {"command": "claude"}, "e": {"type": "sse", "url": "https://e.test"}, "g": {"url": "https://g.test"}, "bad": {"args": ["x"]}, "st*r": {"command": "x"}}}`,
		"project/.vscode/mcp.json":      "{\n// As VS Code writes it.\n\"inputs\": [], \"servers\": {\"e\": {\"command\": \"code\"}, \"f\": {\"type\": \"stdio\", \"command\": \"code\", \"env\": {\"X\": \"${env:Y}\"}},}}",
	})
	own, gemini := filepath.Join(home, "config", "settings.json"), filepath.Join(home, ".gemini", "settings.json")
	emendo, claude, code := filepath.Join(project, ".emendo", "settings.json"), filepath.Join(project, ".mcp.json"), filepath.Join(project, ".vscode", "mcp.json")
	theirs := filepath.Join(project, ".gemini", "settings.json")
	want := []config.Server{
		{Name: "a", Transport: config.Stdio, Command: "own", Dir: filepath.Join(project, "sub"), Timeout: 1500 * time.Millisecond, Trust: true, Own: true, File: own},
		{Name: "b", Transport: config.Stdio, Command: "gemini", Trust: true, File: gemini},
		{Name: "c", Transport: config.Stdio, Command: "emendo", Dir: project, Sandbox: true, Confined: true, Project: project, File: emendo},
		{Name: "d", Transport: config.HTTP, URL: "https://d.test", Headers: map[string]string{"K": "v"}, Dir: project, Project: project, File: theirs},
		{Name: "e", Transport: config.SSE, URL: "https://e.test", Dir: project, Project: project, File: claude},
		{Name: "f", Transport: config.Stdio, Command: "code", Env: map[string]string{"X": "${env:Y}"}, Dir: project, Confined: true, Project: project, File: code},
		{Name: "g", Transport: config.Auto, URL: "https://g.test", Dir: project, Project: project, File: claude},
		{Name: "off", Transport: config.Stdio, Command: "x", Disabled: true, File: gemini},
		{Name: "a", Transport: config.Stdio, Command: "gemini", File: gemini, HiddenBy: own},
		{Name: "b", Transport: config.Stdio, Command: "project", Dir: project, Confined: true, Project: project, File: emendo, HiddenBy: gemini},
		{Name: "d", Transport: config.Stdio, Command: "claude", Dir: project, Confined: true, Project: project, File: claude, HiddenBy: theirs},
		{Name: "e", Transport: config.Stdio, Command: "code", Dir: project, Confined: true, Project: project, File: code, HiddenBy: claude},
	}
	for i := range want {
		want[i].Folder = project
	}
	if diff := cmp.Diff(list.Servers, want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
	if len(list.Problems) != 2 || !strings.Contains(list.Problems[1], "invalid server bad: must have a command") || !strings.Contains(list.Problems[0], `invalid name "st*r"`) {
		t.Errorf("problems: %q", list.Problems)
	}
	if got, want := list.Servers[1].Entry(nil), (trust.Entry{Kind: trust.Server, Name: "b", Command: "gemini", File: gemini, Private: true, Outside: true}); !cmp.Equal(got, want) {
		t.Errorf("the entry is %+v, want %+v", got, want)
	}
	if got, want := list.Servers[2].Entry(nil), (trust.Entry{Kind: trust.Server, Name: "c", Command: "emendo", Sandboxed: true}); !cmp.Equal(got, want) {
		t.Errorf("the entry is %+v, want %+v", got, want)
	}
}

func TestForeignFilesThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		`{"mcpServers": `:          "not valid JSON",
		`{"mcpServers": {"a": ]}}`: "not valid JSON: line 1",
		`{"mcpServers": {"a": {"command": "x", "env": {"T": "${input:token}"}}}}`: "invalid server a: uses ${input:…}",
		`[]`:                         "must be an object",
		`{"mcpServers": []}`:         "mcpServers must be an object",
		strings.Repeat(" ", 300<<10): "larger than",
		`{"mcpServers": {"a": {"command": ["x"]}}}`:              "invalid server a",
		`{"mcpServers": {"a": {"command": "x", "timeout": -1}}}`: "timeout must be a number of milliseconds",
	} {
		list, _, _ := load(t, map[string]string{"project/.mcp.json": text})
		if len(list.Servers) > 0 || len(list.Problems) != 1 || !strings.Contains(list.Problems[0], want) {
			t.Errorf("%.40s: %q", text, list.Problems)
		}
	}
}

// The server of mcp.serverCommand has the name mcp. No shell reads its line.
func TestServerCommand(t *testing.T) {
	list, home, project := load(t, map[string]string{
		"home/.gemini/settings.json":    `{"mcp": {"serverCommand": "node  'my server.js' --x=\"a b\" c\\ d ''"}, /* remark */}`,
		"project/.gemini/settings.json": `{"mcp": {"serverCommand": "./all"}}`,
	})
	want := []config.Server{
		{Name: "mcp", Transport: config.Stdio, Command: "node", Args: []string{"my server.js", "--x=a b", "c d", ""}, Folder: project, File: filepath.Join(home, ".gemini", "settings.json")},
		{Name: "mcp", Transport: config.Stdio, Command: "./all", Dir: project, Confined: true, Folder: project, Project: project, File: filepath.Join(project, ".gemini", "settings.json"), HiddenBy: filepath.Join(home, ".gemini", "settings.json")},
	}
	if diff := cmp.Diff(list.Servers, want); diff != "" || len(list.Problems) > 0 {
		t.Errorf("%q; got -, want +:\n%s", list.Problems, diff)
	}
	for line, want := range map[string]string{
		"a; b": `it has ';', which needs a shell`, "a $(b)": "needs a shell", "a `b`": "needs a shell", `a \"\u0060b\u0060\"`: "needs a shell", "a *.js": "needs a shell", "a 'b": "does not end", `''`: "names no program",
	} {
		list, _, _ := load(t, map[string]string{"project/.gemini/settings.json": `{"mcp": {"serverCommand": "` + line + `"}}`})
		if len(list.Servers) > 0 || len(list.Problems) != 1 || !strings.Contains(list.Problems[0], want) {
			t.Errorf("%s: %q, %+v", line, list.Problems, list.Servers)
		}
	}
}

// A file of the project cannot be a link to one outside.
func TestLinksOutOfTheProjectAreNotFollowed(t *testing.T) {
	base := t.TempDir()
	put(t, base, map[string]string{"secret.json": `{"mcpServers": {"a": {"command": "x"}}}`, "project/x": ""})
	project := filepath.Join(base, "project")
	if err := os.Symlink(filepath.Join(base, "secret.json"), filepath.Join(project, ".mcp.json")); err != nil {
		t.Fatal(err)
	}
	if servers, problems := config.OfProject(project, nil, nil, nil); len(servers) > 0 || len(problems) != 1 {
		t.Errorf("got %v, %q", servers, problems)
	}
}

func TestExpanded(t *testing.T) {
	env := func(name string) string { return map[string]string{"T": "token", "GEMINI_API_KEY": "key"}[name] }
	hidden := func(name string) bool { return name == "GEMINI_API_KEY" }
	s := config.Server{
		Command: "${workspaceFolder}/run", Args: []string{"$T", "${T}", "${NONE:-x}"}, Cwd: "${workspaceFolder}/sub", Folder: "/p", Project: "/p", URL: "https://h/${T}",
		Env:     map[string]string{"A": "$T", "B": "${env:T}", "C": "$$ $NONE", "K": "$GEMINI_API_KEY${GEMINI_API_KEY}"},
		Headers: map[string]string{"Authorization": "Bearer $T"},
	}
	want := s
	want.Command, want.Args, want.Dir, want.Cwd, want.URL = "/p/run", []string{"$T", "token", "x"}, "/p/sub", "", "https://h/token"
	want.Env, want.Headers = map[string]string{"A": "token", "B": "token", "C": "$$ ", "K": ""}, map[string]string{"Authorization": "Bearer token"}
	if diff := cmp.Diff(s.Expanded(env, hidden), want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
	if got, want := s.Entry(env).Means, []string{"/p/run", "/p/sub", "token", "token", "$$ ", "keykey"}; !slices.Equal(got, want) {
		t.Errorf("the entry means %q, want %q", got, want)
	}
	s.Project = ""
	if got := s.Expanded(env, hidden).Env["K"]; got != "keykey" {
		t.Errorf("the user's own server gets %q", got)
	}
}

// One invalid server of a settings file does not hide the others.
func TestInvalidServersOfSettings(t *testing.T) {
	list, _, _ := load(t, map[string]string{
		"project/.gemini/settings.json": `{"mcpServers": {"a": {"command": "x", "colour": 1}, "b": {"command": ["x"]}, "c": {}, "d": {"httpUrl": "https://d.test", "headers": {"K": "${input:key}"}}, "e": {"command": "y"}}}`,
	})
	var names []string
	for _, s := range list.Servers {
		names = append(names, s.Name)
	}
	if !slices.Equal(names, []string{"a", "e"}) {
		t.Errorf("the servers are %q", names)
	}
}

func TestOffers(t *testing.T) {
	s := config.Server{Include: []string{"a", "b(x)"}, Exclude: []string{"a"}}
	for tool, want := range map[string]bool{"a": false, "b": true, "c": false} {
		if s.Offers(tool) != want {
			t.Errorf("%s: %t", tool, !want)
		}
	}
}

func TestEdit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config", "settings.json")
	check := func(want string) {
		t.Helper()
		if text, err := os.ReadFile(path); err != nil || string(text) != want {
			t.Errorf("%v\n%s\nwant\n%s", err, text, want)
		}
	}
	if err := config.Add(path, "a/b", settings.MCPServer{Command: "x"}); err != nil {
		t.Fatal(err)
	}
	check("{\"mcpServers\": {\"a/b\": {\"command\": \"x\"}}}\n")
	put(t, filepath.Dir(path), map[string]string{"settings.json": "{\n  // mine\n  \"model\": {\"name\": \"m\"},\n}\n"})
	if err := config.Add(path, "a", settings.MCPServer{Command: "x"}); err != nil {
		t.Fatal(err)
	}
	if err := config.Add(path, "a", settings.MCPServer{Command: "y"}); !errors.Is(err, config.ErrExists) {
		t.Errorf("adding it again: %v", err)
	}
	check("{\n  // mine\n  \"model\": {\"name\": \"m\"},\"mcpServers\":{\"a\":{\"command\":\"x\"}}\n}\n")
	if removed, err := config.Remove(path, "a"); !removed || err != nil {
		t.Errorf("removing it: %t, %v", removed, err)
	}
	if removed, err := config.Remove(path, "a"); removed || err != nil {
		t.Errorf("removing it again: %t, %v", removed, err)
	}
	check("{\n  // mine\n  \"model\": {\"name\": \"m\"},\"mcpServers\":{}\n}\n")
}

// Only the user says where logins go; a project's server keeps what is harmless.
func TestSignIn(t *testing.T) {
	oauth := `"oauth": {"enabled": true, "clientId": "$ID", "clientSecret": "$SECRET", "authorizationUrl": "https://auth.test/a", "tokenUrl": "https://${HOST}/t", "scopes": ["read"], "audiences": ["x"], "redirectUri": "http://localhost:7777/back"}`
	list, _, _ := load(t, map[string]string{
		"home/.gemini/settings.json": `{"mcpServers": {"mine": {"httpUrl": "https://a.test", ` + oauth + `}}}`,
		"project/.mcp.json":          `{"mcpServers": {"theirs": {"type": "http", "url": "https://b.test", ` + oauth + `}, "half": {"url": "https://c.test", "oauth": {"tokenUrl": "https://x.test"}}}}`,
	})
	if len(list.Problems) != 1 || !strings.Contains(list.Problems[0], "invalid server half: oauth must have both authorizationUrl and tokenUrl") {
		t.Errorf("the problems are %q", list.Problems)
	}
	env := func(name string) string {
		return map[string]string{"ID": "client", "SECRET": "hush", "HOST": "auth.test"}[name]
	}
	got, ignored := list.Servers[0].Expanded(env, nil).SignIn()
	want := settings.OAuth{
		Enabled: true, ClientID: "client", ClientSecret: "hush", AuthorizationURL: "https://auth.test/a", TokenURL: "https://auth.test/t",
		Scopes: []string{"read"}, Audiences: []string{"x"}, RedirectURI: "http://localhost:7777/back",
	}
	if diff := cmp.Diff(want, got); diff != "" || ignored != nil {
		t.Errorf("of the user's server %q is ignored; -want +got:\n%s", ignored, diff)
	}
	extended := list.Servers[0]
	extended.Extension = "one"
	if got, ignored := extended.Expanded(env, nil).SignIn(); got.ClientSecret+got.TokenURL != "" || len(ignored) != 5 {
		t.Errorf("of an extension's server %+v counts, and %q is ignored", got, ignored)
	}
	got, ignored = list.Servers[1].Expanded(env, nil).SignIn()
	want = settings.OAuth{Enabled: true, ClientID: "$ID", Scopes: []string{"read"}}
	if diff := cmp.Diff(want, got); diff != "" || !slices.Equal(ignored, []string{"clientSecret", "authorizationUrl", "tokenUrl", "audiences", "redirectUri"}) {
		t.Errorf("of the project's server %q is ignored; -want +got:\n%s", ignored, diff)
	}
}

// A server of the user's editor is used as it is, after the user's own of that name and
// before the project's.
func TestServersOfTheEditor(t *testing.T) {
	handed := config.OfClient(config.Server{Name: "x", Transport: config.Stdio, Command: "run", Args: []string{"${HOME}"}, Env: map[string]string{"A": "$HOME"}}, "/work")
	env := func(string) string { return "expanded" }
	if got := handed.Expanded(env, nil); got.Args[0] != "${HOME}" || got.Env["A"] != "$HOME" {
		t.Errorf("expanded to %v, %v", got.Args, got.Env)
	}
	if e := handed.Entry(env); handed.Own || e.By != "Your editor" || e.File != "" || e.Dir != "" || !e.Private {
		t.Errorf("own: %t; the entry is %+v", handed.Own, e)
	}
	own := settings.Settings{MCPServers: settings.MCPServers{"x": {Command: "mine", File: "settings.json"}}}
	l := config.Load(config.Options{Settings: own, Folder: "/work", Client: []config.Server{handed}})
	if len(l.Servers) != 2 || l.Servers[0].Command != "mine" || l.Servers[1].HiddenBy != "settings.json" {
		t.Errorf("the servers are %+v", l.Servers)
	}
}
