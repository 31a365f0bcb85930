package shellcmd

import (
	"os"
	"path/filepath"
	"testing"
)

// Commands of servers that run what files of the project say.
func TestIndirectPrograms(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "pkg"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, argv := range [][]string{
		{"make", "serve"},
		{"npm", "run", "serve"},
		{"npm", "start"},
		{"npx", "-y", "docs-server"},
		{"yarn", "serve"},
		{"pnpm", "exec", "server"},
		{"bun", "run", "server"},
		{"deno", "task", "serve"},
		{"node", "."},
		{"node", "pkg"},
		{"python3", "-m", "pkg"},
		{"python", "-m", "pkg", "--stdio"},
		{"python3", "pkg"},
		{"uv", "run", "server.py"},
		{"sh", "-c", `"$(cat run.sh)"`},
		{"bash", "-c", "eval \"$(cat run.sh)\""},
		{"bash", "-c", "./pkg/*.sh"},
		{"env", "make"},
		{"go", "run", "."},
		{"cargo", "run"},
		{"docker", "compose", "up"},
		{"sh", "-c", "make serve"},
		{"bash", "-c", ". \"$X\""},
		{"timeout", "60", "npm", "start"},
		{"poetry", "run", "server"},
		{"node", "--import", "./x.mjs", "."},
	} {
		if IndirectProgram(argv, dir, nil) == "" {
			t.Errorf("%q: it names all that it runs", argv)
		}
	}
	for _, argv := range [][]string{
		{"node", "server.js"}, {"node", "my server.js", "--port=1", "$x"}, {"python3", "server.py"}, {"python3", "-m", "mcp_server_git"}, {"./server"}, {"docs-server", "--stdio"}, {"sh", "-c", "exec ./server"}, {"bash", "tools/server.sh"}, {"env", "A=1", "./server"},
	} {
		if why := IndirectProgram(argv, dir, nil); why != "" {
			t.Errorf("%q: %s", argv, why)
		}
	}
}
