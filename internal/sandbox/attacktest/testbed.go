//go:build linux

package attacktest

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/emendo-dev/emendo/internal/sandbox"
)

// programs is a folder that contains only the attacker. All testbeds share it,
// since the program is large.
var programs struct {
	sync.Once
	folder string
	err    error
}

func attackersFolder(t *testing.T) string {
	t.Helper()
	programs.Do(func() {
		programs.folder, programs.err = os.MkdirTemp("", "attacker") //nolint:usetesting // it outlives the test
		if programs.err == nil {
			programs.err = copyFile("/proc/self/exe", filepath.Join(programs.folder, "attacker"))
		}
	})
	if programs.err != nil {
		t.Fatal(programs.err)
	}
	return programs.folder
}

// Ordinary is the ID of the user nobody.
const Ordinary = 65534 // nobody's

// AsEachUser runs a test as the current user and, if that is root, also as an ordinary
// user, in a process of its own and not in short mode.
func AsEachUser(t *testing.T, test func(*testing.T)) {
	t.Helper()
	if os.Getuid() != 0 || testing.Short() {
		test(t)
		return
	}
	t.Run("as root", test)
	t.Run("as an ordinary user", func(t *testing.T) {
		top, _, _ := strings.Cut(t.Name(), "/")
		cmd := exec.Command("/proc/self/exe", "-test.run=^"+top+"$", "-test.v")
		cmd.Dir = "/"
		cmd.Env = append(os.Environ(), "HOME=/nonexistent", "TMPDIR="+PublicTemp(t))
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: Ordinary, Gid: Ordinary, Groups: []uint32{}}}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: "+top) {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// PublicTemp returns a folder with a short name that every user may use.
func PublicTemp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "emendo-sandbox") //nolint:usetesting // every user needs access, and the name of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // it is for all
		t.Fatal(err)
	}
	return dir
}

// A Testbed is a workspace and what is outside of it.
type Testbed struct {
	T                *testing.T
	Base             string
	Work             string // the workspace
	Outside          string // a folder of the same user outside of it
	Tools            string // holds the attacker, and may be read and run
	Temp, Cache      string
	Secret, Bystands string // files outside
}

// NewTestbed returns a testbed in a temporary folder.
func NewTestbed(t *testing.T) *Testbed {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &Testbed{T: t, Base: base, Tools: attackersFolder(t)}
	for _, d := range []struct {
		at   *string
		name string
	}{{&b.Work, "work"}, {&b.Outside, "outside"}, {&b.Temp, "temp"}, {&b.Cache, "cache"}} {
		*d.at = filepath.Join(base, d.name)
		if err := os.Mkdir(*d.at, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b.Secret, b.Bystands = b.Put("outside/secret", "canary-17\n"), b.Put("outside/bystander", "as it was\n")
	b.Put("work/main.go", "package main\n")
	b.Put("work/sub/code.go", "package sub\n")
	b.Put("work/.env", "KEY=canary-18\n")
	b.Put("work/.git/config", "[core]\n")
	b.Put("work/.git/hooks/sample", "")
	return b
}

// Put writes a file and returns its path.
func (b *Testbed) Put(name, text string) string {
	b.T.Helper()
	path := filepath.Join(b.Base, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.T.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.T.Fatal(err)
	}
	return path
}

// Profile returns the usual profile of a workspace.
func (b *Testbed) Profile() *sandbox.Profile {
	home := filepath.Join(b.Base, "home")
	return &sandbox.Profile{
		Write: []string{b.Work}, Read: []string{b.Tools}, Hidden: []string{b.Work + "/.env"}, Protected: []string{b.Work + "/.git"},
		Links: []string{"/bin", "/usr/bin", home}, Home: home, Temp: b.Temp, Cache: b.Cache,
	}
}

// Run runs a command in the workspace and returns its output and its end.
func (b *Testbed) Run(s sandbox.Spawner, env []string, argv ...string) (string, sandbox.Exit) {
	b.T.Helper()
	p, err := s.Start(b.T.Context(), sandbox.Command{Argv: argv, Dir: b.Work, Env: append([]string{"PATH=/usr/bin:/bin:/usr/sbin:/sbin"}, env...), Profile: b.Profile()})
	if err != nil {
		b.T.Fatalf("%q: %v", argv, err)
	}
	defer p.Kill(0)
	out := p.Output()
	defer out.Close()
	text, err := io.ReadAll(out)
	if err != nil {
		b.T.Errorf("%q: reading its output: %v", argv, err)
	}
	return string(text), p.Wait()
}

// Shell runs a command line.
func (b *Testbed) Shell(s sandbox.Spawner, line string) (string, sandbox.Exit) {
	b.T.Helper()
	return b.Run(s, nil, "/bin/bash", "--noprofile", "--norc", "-c", line)
}

// A ToldLine is a command line and its expected output.
type ToldLine struct{ Name, Line, Want string }

// Tell runs command lines in one command, each by a shell of its own, and compares
// their output. If succeed is set, each must exit with 0.
func (b *Testbed) Tell(s sandbox.Spawner, env []string, lines []ToldLine, succeed bool) {
	b.T.Helper()
	const end = "\x1e"
	argv := []string{"/bin/bash", "--noprofile", "--norc", "-c", `for line; do bash --noprofile --norc -c "$line"; printf '\036%d\036' $?; done`, "bash"}
	for _, l := range lines {
		argv = append(argv, l.Line)
	}
	out, _ := b.Run(s, env, argv...)
	parts := strings.Split(out, end)
	if len(parts) != 2*len(lines)+1 {
		b.T.Fatalf("of %d lines there came %q", len(lines), out)
	}
	for i, l := range lines {
		if got, code := parts[2*i], parts[2*i+1]; got != l.Want || succeed && code != "0" {
			b.T.Errorf("%s: got %q, exit %s\nwant %q", l.Name, got, code, l.Want)
		}
	}
}

func copyFile(from, to string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o700) //nolint:gosec // it is run
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, r); err != nil {
		return fmt.Errorf("copying %s: %w", from, err)
	}
	return w.Close()
}

// Unharmed checks that what no command may change is unchanged.
func (b *Testbed) Unharmed() {
	b.T.Helper()
	for name, want := range map[string]string{"outside/secret": "canary-17\n", "outside/bystander": "as it was\n", "work/.git/config": "[core]\n", "work/.git/hooks/sample": ""} {
		if got, err := os.ReadFile(filepath.Join(b.Base, name)); err != nil || string(got) != want {
			b.T.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	for dir, want := range map[string]int{"outside": 2, "work/.git": 2, "work/.git/hooks": 1} {
		if l, err := os.ReadDir(filepath.Join(b.Base, dir)); err != nil || len(l) != want {
			b.T.Errorf("%s holds %v, %v", dir, l, err)
		}
	}
}

// ReadAll returns the output of a command that ends.
func ReadAll(t *testing.T, p sandbox.Process) string {
	t.Helper()
	out := p.Output()
	defer out.Close()
	text := new(strings.Builder)
	buffer := make([]byte, 4096)
	for {
		n, err := out.Read(buffer)
		text.Write(buffer[:n])
		if err != nil {
			p.Wait()
			return text.String()
		}
	}
}

// Main runs the tests of a package, or the attacks if the binary was started as
// an attacker; see attack. In short mode the tests need no bubblewrap.
func Main(m *testing.M) {
	if names := os.Getenv("EMENDO_TEST_ATTACKS"); names != "" {
		attack(strings.Split(names, ","), os.Args[1:])
	}
	flag.Parse()
	if testing.Short() {
		delete(MeansOfA, "bubblewrap")
	}
	code := m.Run()
	if programs.folder != "" {
		os.RemoveAll(programs.folder)
	}
	os.Exit(code)
}
