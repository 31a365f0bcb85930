package mcp_test

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/mcp"
	"github.com/emendo-dev/emendo/mcp/config"
	"github.com/emendo-dev/emendo/tools/reach"
)

// put writes a file below a folder.
func put(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// configured returns a server of a settings file, the user's or the project's in dir.
func configured(t *testing.T, dir, entry string, project bool) config.Server {
	t.Helper()
	var s settings.MCPServer
	if err := json.Unmarshal([]byte(entry), &s); err != nil {
		t.Fatal(err)
	}
	set := settings.Settings{MCPServers: settings.MCPServers{"s": s}}
	o := config.Options{Settings: set, Folder: dir}
	if project {
		s.Origin, s.Folder, s.File = settings.OfProject, dir, filepath.Join(dir, ".emendo", "settings.json")
		o.Settings.MCPServers, o.Settings.MCP.OfProject, o.Projects = nil, settings.MCPServers{"s": s}, []string{dir}
	}
	return config.Load(o).Servers[0]
}

// confined returns programs that run a project's servers in the sandbox.
func confined(t *testing.T, dir string) mcp.Programs {
	t.Helper()
	place := reach.New(reach.Options{Folders: []string{dir}, Home: t.TempDir(), Environ: os.Environ(), Temp: t.TempDir(), Cache: t.TempDir(), Secret: func(path string) bool { return filepath.Base(path) == "id_rsa" }})
	home := t.TempDir()
	return mcp.Programs{
		Environ: os.Environ(), Log: slog.New(slog.DiscardHandler), Sandbox: confinement{sandbox.NewGuard(sandbox.Options{}), place, t},
		Private: func(string, []string) (string, error) { return home, nil },
	}
}

// confinement is the sandbox of a test.
type confinement struct {
	sandbox.Spawner
	place *reach.Workspace
	t     *testing.T
}

func (c confinement) Reach(_ []string, extra reach.Extra) (*reach.Profile, error) {
	return c.place.Profile(extra), nil
}

func (c confinement) Copies() (string, error) { return c.t.TempDir(), nil }

// end starts a server and waits for its end.
func end(t *testing.T, p mcp.Programs, c config.Server, cleared trust.Cleared, dir string) error {
	t.Helper()
	link, err := p.Dial(t.Context(), mcp.Expanded(c, os.Getenv), cleared, []string{dir})
	if err != nil {
		return err
	}
	defer link.Close()
	ended := link.(interface{ Ended() <-chan struct{} }).Ended()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the server did not end")
	}
	return nil
}

// Nothing that lies in the workspace runs in a server of the user's that does not name
// it: not what npx, Python and Node find in the folder in which they start.
func TestUsersServersRunNothingOfTheWorkspace(t *testing.T) {
	if testing.Short() {
		t.Skip("needs Node and Python")
	}
	for _, tt := range []struct{ name, entry string }{
		{"npx", `{"command": "npx", "args": ["-y", "docs-server"], "env": {"npm_config_offline": "true"}}`},
		{"a module of Python", `{"command": "python3", "args": ["-m", "docs_server"]}`},
		{"what a module of Python imports", `{"command": "python3", "args": ["-m", "json.tool", "/dev/null"]}`},
		{"what code in Python imports", `{"command": "python3", "args": ["-c", "import json"]}`},
		{"a package of Node", `{"command": "node", "args": ["-e", "require('docs-server')"]}`},
		{"a script of the workspace", `{"command": "node", "args": ["server.js"]}`},
		{"a folder", `{"command": "node", "args": ["."]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			ran := filepath.Join(dir, "ran")
			put(t, dir, "node_modules/.bin/docs-server", "#!/bin/sh\ntouch "+ran+"\n")
			put(t, dir, "node_modules/docs-server/package.json", `{"name": "docs-server", "version": "1.0.0", "bin": "index.js"}`)
			js, py := "require('fs').writeFileSync('"+ran+"', '')", "open('"+ran+"', 'w')\n"
			for name, text := range map[string]string{
				"node_modules/docs-server/index.js": js, "server.js": js, "index.js": js, "docs_server.py": py, "json.py": py, "package.json": "{}",
			} {
				put(t, dir, name, text)
			}
			_ = end(t, confined(t, dir), configured(t, dir, tt.entry, false), trust.Cleared{}, dir) // that it fails does not matter
			if _, err := os.Stat(ran); err == nil {
				t.Error("it ran")
			}
		})
	}
}

// A server of the user's starts in the workspace if its entry says so, and another one
// whose argument seems to mean a file there says which line to write.
func TestAskingForCwd(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "server.js", "")
	put(t, dir, "docs/a.md", "")
	for entry, want := range map[string]string{
		`{"command": "node", "args": ["."]}`:                              ".",
		`{"command": "node", "args": ["./x.js"]}`:                         "./x.js",
		`{"command": "node", "args": ["--flag", "../x.js"]}`:              "../x.js",
		`{"command": "node", "args": ["server.js"]}`:                      "server.js",
		`{"command": "./run"}`:                                            "./run",
		`{"command": "npx", "args": ["-y", "docs", "docs/a.md"]}`:         "docs/a.md",
		`{"command": "npx", "args": ["-y", "docs", "` + dir + `"]}`:       "",
		`{"command": "npx", "args": ["-y", "docs"]}`:                      "", // a folder has that name
		`{"command": "uvx", "args": ["mcp-server-git"]}`:                  "",
		`{"command": "node", "args": ["server.js"], "cwd": "."}`:          "",
		`{"command": "node", "args": ["${workspaceFolder}/server.js"]}`:   "",
		`{"command": "docker", "args": ["run", "-i", "--rm", "x/y:1.0"]}`: "",
	} {
		c := configured(t, dir, entry, false)
		if got := c.AsksForCwd(nil); got != want {
			t.Errorf("%s asks by %q, want %q", entry, got, want)
		}
		if hint := mcp.CwdHint(c, nil); (hint != "") != (want != "") || want != "" && !strings.Contains(hint, `write "cwd": "." into its entry`) {
			t.Errorf("%s: the hint is %q", entry, hint)
		}
	}
	if got := mcp.Expanded(configured(t, dir, `{"command": "node", "cwd": "."}`, false), os.Getenv).Dir; got != dir {
		t.Errorf("it starts in %q", got)
	}
}

// A project's server is in the sandbox, whatever starts it, and is asked about in each
// session where it runs more than it names.
func TestProjectsServersAreConfined(t *testing.T) {
	if testing.Short() {
		t.Skip("needs Node and Python")
	}
	for _, tt := range []struct {
		entry  string
		unseen bool
	}{
		{`{"command": "make", "args": ["-s", "serve"]}`, true},
		{`{"command": "npm", "args": ["run", "--silent", "serve"]}`, true},
		{`{"command": "npm", "args": ["start", "--silent"]}`, true},
		{`{"command": "npx", "args": ["--offline", "-y", "docs-server"]}`, true},
		{`{"command": "node", "args": ["."]}`, true},
		{`{"command": "node", "args": ["srv"]}`, true},
		{`{"command": "node", "args": ["--import", "./x.mjs", "."]}`, true},
		{`{"command": "node", "args": ["attack.js"]}`, false},
		{`{"command": "python3", "args": ["-m", "pkg"]}`, true},
		{`{"command": "python3", "args": ["pkg"]}`, true},
		{`{"command": "python3", "args": ["attack.py"]}`, false},
		{`{"command": "python3", "args": ["-m", "attack"]}`, false},
		{`{"command": "sh", "args": ["-c", "\"$(cat attack.sh)\""]}`, true},
		{`{"command": "sh", "args": ["-c", "eval \"$(cat attack.sh)\""]}`, true},
		{`{"command": "sh", "args": ["-c", "make -s serve"]}`, true},
		{`{"command": "sh", "args": ["-c", "cat attack.sh | sh"]}`, true},
		{`{"command": "sh", "args": ["attack.sh"]}`, false},
		{`{"command": "env", "args": ["make", "-s", "serve"]}`, true},
		{`{"command": "timeout", "args": ["60", "make", "-s", "serve"]}`, true},
		{`{"command": "./attack.sh"}`, false},
	} {
		t.Run(tt.entry, func(t *testing.T) {
			base := t.TempDir()
			dir := filepath.Join(base, "project")
			out := filepath.Join(base, "out")
			const sh = "echo ran > ran.txt; echo x > ../out\n"
			js := "const {execSync} = require('child_process'); execSync('sh attack.sh')"
			put(t, dir, "attack.sh", "#!/bin/sh\n"+sh)
			put(t, dir, "Makefile", "serve:\n\t@sh attack.sh\n")
			put(t, dir, "package.json", `{"name": "p", "version": "1.0.0", "main": "attack.js", "scripts": {"serve": "sh attack.sh", "start": "sh attack.sh"}}`)
			put(t, dir, "x.mjs", "")
			put(t, dir, "node_modules/.bin/docs-server", "#!/bin/sh\ncd "+dir+"\nsh attack.sh\n")
			put(t, dir, "attack.js", js)
			put(t, dir, "srv/index.js", js)
			for _, name := range []string{"attack.py", "pkg/__main__.py"} {
				put(t, dir, name, "import os\nos.system('sh attack.sh')\n")
			}
			c := configured(t, dir, tt.entry, true)
			p := confined(t, dir)
			e := c.Entry(os.Getenv)
			if (e.Unseen != "") != tt.unseen || !e.Sandboxed {
				t.Errorf("it is in the sandbox: %v; it is asked about in each session because %q", e.Sandboxed, e.Unseen)
			}
			_ = end(t, p, c, trust.Cleared{}, dir) // it is no server
			if _, err := os.Stat(filepath.Join(dir, "ran.txt")); err != nil && !strings.Contains(tt.entry, `"\"$(cat`) {
				t.Errorf("it did not run: %v", err)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("it wrote outside of the workspace")
			}
		})
	}
}

// The user's settings let a project's server out of the sandbox, and then it is asked
// about in each session: nothing keeps its files as they were checked.
func TestProjectsServersOutsideTheSandboxAreAskedAbout(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "server.js", "")
	s := settings.MCPServer{Command: "node", Args: []string{"server.js"}, Origin: settings.OfProject, Folder: dir, Hosts: []string{"api.example.com"}}
	store := trust.Open(t.TempDir())
	look := func(outside ...string) trust.Look {
		set := settings.Settings{MCP: settings.MCP{OfProject: settings.MCPServers{"s": s}, Outside: outside}}
		l, err := store.Approved(dir, config.Load(config.Options{Settings: set, Folder: dir, Projects: []string{dir}}).Servers[0].Entry(nil))
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	inside := look("other")
	if inside.Outside || inside.Unseen != "" || len(inside.Hosts) != 1 {
		t.Errorf("inside it is %+v", inside)
	}
	if err := store.Approve(dir, inside); err != nil {
		t.Fatal(err)
	}
	if got := look(); got.State != trust.Approved {
		t.Errorf("approved, it is %v", got.State)
	}
	if got := look("s"); !got.Outside || got.Unseen == "" || got.State == trust.Approved {
		t.Errorf("let out, it is %v, asked about because %q", got.State, got.Unseen)
	}
	s.Hosts = append(s.Hosts, "evil.example.com")
	if got := look(); got.State == trust.Approved {
		t.Error("another host was not asked about")
	}
}

// A server is not changed by the data that it keeps in a file which an argument names.
func TestServersDataIsNoChange(t *testing.T) {
	sqlite := "SQLite format 3\x00"
	for _, tt := range []struct {
		entry, file, before, after string
		changes                    bool
	}{
		{`{"command": "node", "args": ["server.js", "data.json"]}`, "data.json", "{}", `{"a": 1}`, false},
		{`{"command": "node", "args": ["server.js", "--db=./data.db"]}`, "data.db", "", sqlite, false},
		{`{"command": "python3", "args": ["server.py", "--log", "x.log"]}`, "x.log", "", "line", false},
		{`{"command": "node", "args": ["server.js"], "env": {"MEMORY_FILE_PATH": "./memory.json"}}`, "memory.json", "{}", `{"a": 1}`, false},
		{`{"command": "sqlite-server", "args": ["--db", "data.db"]}`, "data.db", sqlite + "1", sqlite + "2", false},
		{`{"command": "sqlite-server", "args": ["--db", "data.db"]}`, "data.db", sqlite, "#!/bin/sh\n", true},
		{`{"command": "bash", "args": ["data.db"]}`, "data.db", "echo 1", "echo 2", true},
		{`{"command": "env", "args": ["bash", "data.db"]}`, "data.db", "", "echo 2", true},
		{`{"command": "mcp-proxy", "args": ["--config", "servers.json"]}`, "servers.json", "{}", `{"a": 1}`, true},
		{`{"command": "node", "args": ["--require", "./hook.json", "server.js"]}`, "hook.json", "{}", `{"a": 1}`, true},
		{`{"command": "node", "args": ["server.js", "plugin.js"]}`, "plugin.js", "1", "2", true},
		{`{"command": "node", "args": ["server.js"]}`, "server.js", "1", "2", true},
		{`{"command": "python3", "args": ["-m", "pkg.server"]}`, "pkg/__init__.py", "1", "2", true},
	} {
		dir := t.TempDir()
		put(t, dir, "server.js", "")
		put(t, dir, "server.py", "")
		put(t, dir, "pkg/server.py", "")
		put(t, dir, tt.file, tt.before)
		store := trust.Open(t.TempDir())
		look := func() trust.Look {
			l, err := store.Approved(dir, configured(t, dir, tt.entry, true).Entry(nil))
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		if err := store.Approve(dir, look()); err != nil {
			t.Fatal(err)
		}
		put(t, dir, tt.file, tt.after)
		if got := look().State; (got == trust.Changed) != tt.changes {
			t.Errorf("%s, %s: it is %v", tt.entry, tt.file, got)
		}
	}
}

// What a folder is called cannot run in the text that a shell or an interpreter runs.
func TestTheNameOfAFolderDoesNotRun(t *testing.T) {
	if testing.Short() {
		t.Skip("needs Python")
	}
	base := t.TempDir()
	dir := filepath.Join(base, "a ${HOME} $(touch out)`touch out`;touch out;'")
	put(t, dir, "sub/x", "")
	for entry, works := range map[string]bool{
		`{"command": "sh", "args": ["-c", "cd \"${workspaceFolder}/sub\" && pwd > ../pwd"]}`:                true,
		`{"command": "bash", "args": ["-ec", "cd \"${workspaceFolder}/sub\" && pwd > ../pwd"], "cwd": "."}`: true,
		`{"command": "sh", "args": ["-c", "cd ${workspaceFolder}; true"]}`:                                  false,
		`{"command": "sh", "args": ["-c", "pwd > ../pwd"], "cwd": "sub"}`:                                   true,
		`{"command": "sh", "args": ["-c", "pwd > ../pwd"], "cwd": "${workspaceFolder}/sub"}`:                true,
		`{"command": "python3", "args": ["-c", "import os; os.chdir('${workspaceFolder}')"]}`:               false,
	} {
		c := configured(t, dir, entry, false)
		if err := end(t, confined(t, dir), c, trust.Cleared{}, dir); err != nil {
			t.Errorf("%s: %v", entry, err)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "pwd")); works && !strings.HasPrefix(string(got), dir) {
			t.Errorf("%s: it was in %q", entry, got)
		}
		_ = os.Remove(filepath.Join(dir, "pwd"))
		for _, place := range []string{base, dir, filepath.Join(dir, "sub")} {
			if _, err := os.Stat(filepath.Join(place, "out")); err == nil {
				t.Fatalf("%s: the name of the folder ran in %s", entry, place)
			}
		}
	}
}

// What a server says is wrong reaches the user, though emendo then ends it.
func TestWhyAServerFailed(t *testing.T) {
	const initialized = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`
	for _, tt := range []struct{ name, script, want string }{
		{"an error to initialize", `read l; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no license"}}'; cat`, "no license"},
		{"the same, and it ends", `read l; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no license"}}'`, "no license"},
		{"an error to tools/list", `read l; echo '` + initialized + `'; read l; read l; echo '{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no database"}}'; cat`, "tools cannot be listed: calling \"tools/list\": no database"},
		{"an unknown version", `read l; echo '` + strings.Replace(initialized, "2025-11-25", "1999-01-01", 1) + `'; cat`, "1999-01-01"},
		{"it ends by itself", `read l; echo 'Error: no such file' >&2; exit 3`, "exited with code 3: Error: no such file"},
		{"it closes its output", `read l; exec >&-; sleep 60`, "closed the connection"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, func(w *world) {
				w.options.Dialer = mcp.Programs{Environ: os.Environ(), Log: slog.New(slog.DiscardHandler)}
			})
			w.list.Servers = []config.Server{{Name: "s", Transport: config.Stdio, Command: "sh", Args: []string{"-c", tt.script}, Own: true}}
			running := mcp.NewServer(w.list.Servers[0], w.Folders(), trust.Cleared{}, w.options)
			defer running.Close()
			running.Start()
			<-running.Settled()
			if err := running.Snapshot().Err; err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "signal") {
				t.Errorf("it failed because %v, want %q", err, tt.want)
			}
		})
	}
}
