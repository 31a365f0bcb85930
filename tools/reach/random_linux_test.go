package reach

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
)

var inTheWall = flag.Int("wall", 200, "how many random commands run in the sandbox")

// A vandal generates random command lines that change what they can.
type vandal struct{ *rand.Rand }

func (v vandal) pick(l ...string) string { return l[v.IntN(len(l))] }

// guardedPaths are what must stay, or must not appear.
var guardedPaths = strings.Fields(`.git .git/config .git/HEAD .git/hooks/pre-commit .git/refs/heads/main .git/objects .git/index .git/info/exclude .vscode .vscode/tasks.json .idea .envrc .husky/x AGENTS.md CLAUDE.md docs/AGENTS.md
	.github/workflows/ci.yml .github .pre-commit-config.yaml Jenkinsfile sub/.vscode/settings.json sub/.git sub/AGENTS.md .cargo/config.toml .cargo .yarn .mvn rust-toolchain.toml sitecustomize.py .emendo .gemini .npmrc .gitattributes .gitmodules x.code-workspace`)

func (v vandal) path() string {
	switch v.IntN(6) {
	case 0:
		return v.pick("a", "b", "sub", "sub/c", "docs", "main.go", "d/e/f", "target", "target/x", "node_modules/y", ".")
	case 1:
		return v.pick("../outside/bystander", "../outside", "/etc/passwd", "/tmp/x", "/tmp", "$HOME/.bashrc", "$HOME", "/", "..", "/usr/bin/x", "/proc/self/root/etc/x", "/dev/shm/x", "../outside/new", ".env", "link/bystander")
	case 2:
		return strings.ToUpper(guardedPaths[v.IntN(len(guardedPaths))])
	default:
		return guardedPaths[v.IntN(len(guardedPaths))]
	}
}

// line returns a random line.
func (v vandal) line() string {
	p, q := v.path(), v.path()
	s := v.pick(
		"echo evil >"+p, "echo evil >>"+p, "mkdir -p "+p, "mkdir -p "+p+" && echo evil >"+p+"/evil", "mv "+p+" "+q, "mv -f a "+p, "cp -r "+p+" "+q, "cp -a sub "+p, "ln -s "+p+" "+q, "ln -sfn "+p+" "+q, "ln "+p+" "+q, "rm -rf "+p,
		"chmod 777 "+p, "chmod 000 "+p, "touch "+p, "truncate -s 0 "+p, "sed -i 1d "+p, "tee -a "+p+" <main.go", "dd if=main.go of="+p, "install -D main.go "+p, "cat "+p, "find "+p+" -delete", "tar cf t.tar sub && tar xf t.tar -C "+p,
		"git add -A", "git commit -qam evil", "git config core.hooksPath "+p, "git update-ref refs/heads/evil HEAD", "git init -q "+p, "git switch -qc evil", "git checkout -qf -- .", "git reset -q --hard", "git stash -q", "git clean -fdxq", "git rm -rqf "+p, "git mv "+p+" "+q, "git worktree add -f "+p,
		"mkfifo "+p, "mv sub s && mkdir sub && cp -r s/. sub", "mount --bind /tmp "+p, "unshare -rm mount -t tmpfs x "+p, "exchange() { mv "+p+" t && mv "+q+" "+p+" && mv t "+q+"; }; exchange", "ln -sfn ../outside link",
	)
	switch v.IntN(8) {
	case 0:
		s = "(setsid sh -c " + quote(s) + " &)"
	case 1:
		s = "cd " + v.pick("sub", ".git", ".github", "docs", "/tmp") + " && " + s
	case 2:
		s = "sh -c " + quote(s)
	case 3:
		s = s + v.pick(" && ", "; ", " || ") + v.line()
	}
	return s
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// files returns what is below a folder that a command must not change: each file's mode and
// content, each folder, each link. want reports what counts.
func files(dir string, want func(rel string) bool) map[string]string {
	l := map[string]string{}
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error { // what cannot be read is missing
		rel, _ := filepath.Rel(dir, path)
		if err != nil || rel == "." || !want(rel) {
			return nil //nolint:nilerr // see above
		}
		info, err := e.Info()
		if err != nil {
			return nil //nolint:nilerr // see above
		}
		text, _ := os.ReadFile(path) // none of a folder
		to, _ := os.Readlink(path)   // none unless it is a link
		if info.Mode()&os.ModeSymlink != 0 {
			text = nil
		}
		l[rel] = fmt.Sprintf("%v %x %s", info.Mode(), sha256.Sum256(text), to)
		return nil
	})
	return l
}

// Whatever random commands do that nobody allowed: nothing outside changes, nothing guarded
// changes where it was, no secret is read, and when they have ended nothing guarded is new.
func TestRandomCommandsInTheWall(t *testing.T) {
	if testing.Short() {
		t.Skip("runs thousands of random commands")
	}
	const batch = 25
	for n := 0; n < *inTheWall; n += batch {
		v := vandal{rand.New(rand.NewPCG(uint64(n), 27))} //nolint:gosec // n is not negative
		b := newGitbed(t, attacktest.MeansOfA["namespaces"])
		b.place.Options.Environ = append(b.place.Options.Environ, "LC_ALL=C")
		for _, name := range []string{"AGENTS.md", "docs/AGENTS.md", ".github/workflows/ci.yml", ".vscode/tasks.json", ".envrc", "sub/.vscode/settings.json", ".cargo/config.toml", "Jenkinsfile"} {
			b.Put("work/"+name, "mine\n")
		}
		var lines []string
		for range batch {
			lines = append(lines, v.line())
		}
		outside := func() map[string]string {
			return files(b.Base, func(rel string) bool { return rel == "outside" || strings.HasPrefix(rel, "outside/") || rel == "home" })
		}
		beforeOutside, beforeGit := outside(), files(b.Work+"/.git", func(string) bool { return true })
		guarded := func() map[string]string { return files(b.Work, isGuarded) }
		before := guarded()
		p := b.place.Profile(Extra{Git: GitUse{Calls: true}, Unasked: true})
		w := p.Watch(nil)
		var script strings.Builder
		for _, l := range lines {
			// What a line leaves in the background may hold its output open.
			fmt.Fprintf(&script, "cd %s; timeout -k 1 5 bash -c %s </dev/null 2>&1 | timeout 8 head -c 2000\n", quote(b.Work), quote(l))
		}
		out := b.with(p, script.String())
		_, err := w.Close()
		if _, failed := p.MoveAside(); err != nil || failed != nil {
			t.Logf("seed %d: %v, %v", n, err, failed) // what is in the way is looked at below
		}
		report := func(what string, was, is map[string]string, fresh bool) {
			for name, text := range was {
				if is[name] != text {
					t.Errorf("seed %d: %s: %s was %q and is %q\n%s", n, what, name, text, is[name], strings.Join(lines, "\n"))
				}
			}
			for name := range is {
				if _, there := was[name]; !there && fresh {
					t.Errorf("seed %d: %s: %s is new\n%s", n, what, name, strings.Join(lines, "\n"))
				}
			}
		}
		report("outside", beforeOutside, outside(), true)
		report("git", beforeGit, files(b.Work+"/.git", func(string) bool { return true }), true)
		was := map[string]string{}
		for name, text := range before { // a folder may have been moved with what it holds
			if !strings.HasPrefix(text, "d") && !slices.Contains([]string{"docs", "sub", ".github", ".cargo"}, strings.SplitN(name, "/", 2)[0]) {
				was[name] = text
			}
		}
		report("guarded", was, guarded(), false)
		now, err := b.place.search()
		if err != nil {
			t.Errorf("seed %d: %v", n, err)
		}
		now.guard(b.place, termsOf(unasked))
		for _, path := range slices.Concat(now.protected, now.links) {
			text, err := os.ReadFile(path)
			if info, failed := os.Lstat(path); failed == nil && err == nil && info.Mode().IsRegular() && strings.Contains(string(text), "evil") {
				t.Errorf("seed %d: %s holds %q\n%s", n, path, text, strings.Join(lines, "\n"))
			}
		}
		if strings.Contains(out, "canary-1") {
			t.Errorf("seed %d: a secret was read: %s\n%s", n, out, strings.Join(lines, "\n"))
		}
		if t.Failed() {
			return
		}
		os.RemoveAll(b.Base)
	}
}

// isGuarded reports whether a name is guarded from a command that nobody allowed, apart from
// git's own.
func isGuarded(rel string) bool {
	return !strings.HasPrefix(rel, ".git/") && rel != ".git" && (protected(rel) || termsOf(unasked).guards(rel))
}
