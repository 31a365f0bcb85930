package shell_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/protect"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/aside"
	"github.com/emendo-dev/emendo/tools/shell"
)

// sideEffects are commands that make protected names while they do something else, as
// generators, package managers and archives do.
var sideEffects = []string{
	"git init -q testdata/tmp", "git init -q --bare testdata/bare.git", "git clone -q template-repo copy", "git -C sub init -q", "git init -q new && touch new/a && git -C new add .",
	"mkdir -p crate/src && git init -q crate && echo '[package]' >crate/Cargo.toml && echo /target >crate/.gitignore",
	"mkdir -p app && cp -r template/. app && echo '{}' >app/package.json", "tar xf package.tar", "tar xf package.tar -C sub", "mkdir x && tar xf package.tar -C x --strip-components=1",
	"cp -r template new", "cp -r template/. .", "cp -a template/.vscode .", "cp template/.envrc .", "cp -r template/.idea .", "mv template moved", "install -D template/.envrc sub/.envrc", "ln -s template/.envrc .envrc", "ln -s template/CLAUDE.md CLAUDE.md",
	"mkdir .vscode && echo '{}' >.vscode/settings.json", "mkdir -p .github/workflows && echo 'on: push' >.github/workflows/ci.yml", "printf 'pipeline {}' >Jenkinsfile", "echo 'stages: []' >.gitlab-ci.yml", "echo 'repos: []' >.pre-commit-config.yaml",
	"mkdir -p .husky && echo x >.husky/pre-commit", "echo '{}' >.mcp.json", "mkdir .cursor .claude .codex", "echo x >.npmrc", "touch sitecustomize.py", "mkdir -p .mvn/wrapper && touch .mvn/wrapper/maven-wrapper.properties",
	"mkdir -p .yarn/releases && touch .yarn/releases/yarn.cjs", "echo '[toolchain]' >rust-toolchain.toml", "mkdir -p .cargo && touch .cargo/config.toml", "mkfifo .gitattributes", "mkdir -p node_modules/a/.vscode && touch node_modules/a/.vscode/x",
	"mkdir -p vendor/example.com/x && git init -q vendor/example.com/x", "dd if=/dev/null of=.tool-versions status=none", "(touch .vimrc &); wait; touch .exrc", "tee AGENTS.md GEMINI.md </dev/null", "mkdir .fleet; until ! test -e .fleet; do sleep 0.01; done; touch after",
}

// None of them is ended, whoever watches: each goes on and exits by itself. What it made that
// decides what may run is where nothing acts on it, its result names that, and one answer puts
// it back.
func TestSideEffectsEndNoCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("runs 40 commands")
	}
	if len(sideEffects) != 40 {
		t.Errorf("%d commands", len(sideEffects))
	}
	for _, line := range sideEffects {
		t.Run(line, func(t *testing.T) {
			env := newEnv(t)
			const files = "mkdir -p template/.vscode template/.idea template/src && touch template/.vscode/tasks.json template/.idea/x template/.envrc template/CLAUDE.md template/src/a && git init -q template-repo && tar cf package.tar --transform 's/^template/package/' template"
			cmd := exec.Command("sh", "-c", files)
			cmd.Dir = env.Dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			var moved []aside.File
			env.MovedAside = func(l []aside.File) { moved = append(moved, l...) }
			before := protectedIn(t, env.Dir)
			r := confined(t, shell.Options{}, &env)(tools.Access{Unasked: true}, map[string]any{"command": line})
			if r.Err != nil || r.Exit == nil || *r.Exit != (tools.Exit{}) {
				t.Fatalf("%v, %+v: %s", r.Err, r.Exit, r.Output)
			}
			for _, m := range moved {
				if !strings.Contains(r.Output, m.From) {
					t.Errorf("%s is not named: %s", m.From, r.Output)
				}
			}
			for name := range protectedIn(t, env.Dir) {
				if !before[name] && !strings.HasPrefix(name, "moved/") { // which were there
					t.Errorf("%s was left: %s", name, r.Output)
				}
			}
			if len(moved) == 0 && !strings.Contains(line, "node_modules") && !strings.Contains(line, "vendor") && line != "mv template moved" {
				t.Errorf("nothing was moved aside: %s", r.Output)
			}
			for _, m := range moved {
				if err := m.PutBack(); err != nil {
					t.Errorf("%s: %v", m.From, err)
				} else if _, err := os.Lstat(m.From); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// protectedIn returns the outermost names in a folder that decide what may run or what agents
// read, outside folders of dependencies.
func protectedIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	l := map[string]bool{}
	if err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case e.Name() == "node_modules" || e.Name() == "vendor":
			return filepath.SkipDir
		case e.Name() != "HEAD" && protect.Of(rel) >= protect.Watched:
			if l[rel] = true; e.IsDir() {
				return filepath.SkipDir
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return l
}
