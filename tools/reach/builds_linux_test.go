package reach

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
)

// projects are typical projects and the commands that users run in them. A build
// whose program is missing on this machine is skipped; Go, git and a C compiler
// are required.
var projects = []struct {
	name, program, line, want string
	files                     map[string]string
}{
	{
		// The standard library is built for it, so it uses little of that.
		name: "a Go program is built and tested", program: "go", line: "go build -o out/p . && ./out/p && CGO_ENABLED=0 go test -vet=off ./... | cut -c1-2", want: "built\nok\n",
		files: map[string]string{
			"go.mod": "module example.com/p\n\ngo 1.21\n", "main.go": "package main\n\nfunc main() { println(\"built\") }\n",
			"p_test.go": "package main\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestP(t *testing.T) {\n\tif err := os.WriteFile(os.TempDir()+\"/p\", nil, 0o600); err != nil {\n\t\tt.Fatal(err)\n\t}\n\tt.TempDir()\n}\n",
		},
	},
	{
		name: "a C program is built", program: "cc", line: "cc -o p p.c && ./p", want: "built\n",
		files: map[string]string{"p.c": "#include <stdio.h>\nint main(void) { puts(\"built\"); return 0; }\n"},
	},
	{
		name: "npm runs tests", program: "npm", line: "npm test --silent", want: "tested\n",
		files: map[string]string{"package.json": `{"name": "p", "version": "1.0.0", "scripts": {"test": "node test.js"}}`, "test.js": `const http = require("http");
const s = http.createServer((q, r) => r.end("tested\n")).listen(0, "127.0.0.1", () => http.get({port: s.address().port}, r => r.on("data", d => process.stdout.write(d)).on("end", () => s.close())));
`},
	},
	{
		name: "npm installs what is at hand", program: "npm", line: "npm install --silent --no-audit --no-fund ./dep >/dev/null && node -e 'console.log(require(\"dep\"))'", want: "at hand\n",
		files: map[string]string{"package.json": `{"name": "p", "version": "1.0.0"}`, "dep/package.json": `{"name": "dep", "version": "1.0.0", "main": "i.js"}`, "dep/i.js": `module.exports = "at hand"`},
	},
	{
		name: "a Rust program is built", program: "cargo", line: "cargo build --quiet --offline && ./target/debug/p", want: "built\n",
		files: map[string]string{"Cargo.toml": "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/main.rs": "fn main() { println!(\"built\"); }\n"},
	},
	{
		name: "a Python test runs", program: "python3", line: "python3 -m unittest -q 2>&1 | tail -n1", want: "OK\n",
		files: map[string]string{"test_p.py": "import multiprocessing, tempfile, unittest\n\ndef f(x):\n    return x * 2\n\nclass P(unittest.TestCase):\n    def test(self):\n        with tempfile.TemporaryDirectory(), multiprocessing.Pool(2) as p:\n            self.assertEqual(p.map(f, [1, 2]), [2, 4])\n"},
	},
	{
		name: "git tells what has changed", program: "git", line: "export GIT_CONFIG_GLOBAL=/dev/null && git status --short && git diff --stat && git log --oneline | wc -l && git branch --show-current", want: " M a\n?? b\n a | 1 +\n 1 file changed, 1 insertion(+)\n1\nmain\n",
		files: map[string]string{"a": "x\n"},
	},
	{
		name: "git commits nothing", program: "git", line: "git add -A 2>&1 | tail -n1 | grep -o 'Read-only file system'", want: "Read-only file system\n",
		files: map[string]string{"a": "x\n"},
	},
	{
		name: "a shell makes what it likes of its own folders", program: "bash", line: `echo x > "$TMPDIR/x" && echo y > ~/y && cat /tmp/x ~/y && mkfifo f && (echo z > f &) && cat f`, want: "x\ny\nz\n",
	},
}

// All projects share one cache, which is empty for the first.
func TestBuildsWorkAtLevelA(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real compilers")
	}
	const name = "EMENDO_TEST_CACHE"
	cache := os.Getenv(name)
	if cache == "" {
		cache = attacktest.PublicTemp(t)
		t.Setenv(name, cache)
	}
	attacktest.AsEachUser(t, func(t *testing.T) {
		for name, start := range attacktest.MeansOfA {
			t.Run(name, func(t *testing.T) { buildAll(t, start, cache) })
		}
		if os.Getuid() == 0 {
			giveAway(t, cache)
		}
	})
}

// giveAway changes the owner of a folder and its content to an ordinary user.
func giveAway(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Lchown(path, attacktest.Ordinary, attacktest.Ordinary)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func buildAll(t *testing.T, s sandbox.Spawner, cache string) {
	t.Helper()
	t.Setenv("LC_ALL", "C") // a shell complains about a language that the machine lacks
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range projects {
		if path, err := exec.LookPath(tt.program); err != nil || exec.Command(path, "--version").Run() != nil && tt.program != "go" {
			t.Logf("%s: there is no %s here for this user", tt.name, tt.program)
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			b := attacktest.NewTestbed(t)
			if err := os.RemoveAll(b.Work); err != nil {
				t.Fatal(err)
			}
			for name, text := range tt.files {
				b.Put(filepath.Join("work", name), text)
			}
			b.Put("work/last", "")
			if tt.program == "git" {
				commitAll(b)
				b.Put("work/a", "x\ny\n")
				b.Put("work/b", "")
				if err := os.Remove(filepath.Join(b.Work, "last")); err != nil {
					t.Fatal(err)
				}
			}
			place := New(Options{Folders: []string{b.Work}, Home: home, Environ: os.Environ(), Temp: b.Temp, Cache: cache})
			p := place.Profile(Extra{})
			got := runIn(b, s, &p.Profile, tt.line)
			if got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// commitAll makes the workspace a repository with one commit.
func commitAll(b *attacktest.Testbed) {
	b.T.Helper()
	for _, args := range []string{"init -q -b main", "add a", "-c user.name=u -c user.email=u@example.com commit -q -m one"} {
		cmd := exec.Command("git", strings.Fields(args)...)
		cmd.Dir = b.Work
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.T.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	if err := os.Remove(filepath.Join(b.Work, "last")); err != nil {
		b.T.Fatal(err)
	}
	b.Put("work/last", "")
}

// runIn runs a command line in the workspace, confined to a profile, and
// returns its output.
func runIn(b *attacktest.Testbed, s sandbox.Spawner, p *sandbox.Profile, line string) string {
	b.T.Helper()
	c := sandbox.Command{Argv: []string{"/bin/bash", "--noprofile", "--norc", "-c", line}, Dir: b.Work, Env: sandbox.Environment(append(os.Environ(), "LC_ALL=C"), nil, nil), Profile: p}
	proc, err := s.Start(context.Background(), c)
	if err != nil {
		b.T.Fatalf("%q: %v", line, err)
	}
	defer proc.Kill(0)
	return attacktest.ReadAll(b.T, proc)
}
