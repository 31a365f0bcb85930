package sandbox

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
)

// TestMain is an attacker when this binary is started as one; see attack. In
// short mode the tests need no bubblewrap.
func TestMain(m *testing.M) {
	if names := os.Getenv("EMENDO_TEST_ATTACKS"); names != "" {
		attack(strings.Split(names, ","), os.Args[1:])
	}
	flag.Parse()
	if testing.Short() {
		delete(meansOfA, "bubblewrap")
	}
	code := m.Run()
	if programs.folder != "" {
		os.RemoveAll(programs.folder)
	}
	os.Exit(code)
}

// programs is a folder that holds the attacker, and nothing else. It is the same
// for all testbeds, and made for the first: the program is large.
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

const ordinary = 65534 // nobody's

// asEachUser runs a test as whoever runs it, and when that is root, as an
// ordinary user as well, in a process of its own and not in short mode.
func asEachUser(t *testing.T, test func(*testing.T)) {
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
		cmd.Env = append(os.Environ(), "HOME=/nonexistent", "TMPDIR="+publicTemp(t))
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinary, Gid: ordinary, Groups: []uint32{}}}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: "+top) {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// publicTemp is a folder that every user may use, and its name is short.
func publicTemp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "emendo-sandbox") //nolint:usetesting // every user has to get there, and the name of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // it is for all
		t.Fatal(err)
	}
	return dir
}

// A testbed is where commands are tried: a workspace, and what is outside it.
type testbed struct {
	t                *testing.T
	base             string
	work             string // the workspace
	outside          string // a folder of the same user outside of it
	tools            string // holds the attacker, and may be read and run
	temp, cache      string
	secret, bystands string // files outside
}

func newTestbed(t *testing.T) *testbed {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &testbed{t: t, base: base, tools: attackersFolder(t)}
	for _, d := range []struct {
		at   *string
		name string
	}{{&b.work, "work"}, {&b.outside, "outside"}, {&b.temp, "temp"}, {&b.cache, "cache"}} {
		*d.at = filepath.Join(base, d.name)
		if err := os.Mkdir(*d.at, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b.secret, b.bystands = b.put("outside/secret", "canary-17\n"), b.put("outside/bystander", "as it was\n")
	b.put("work/main.go", "package main\n")
	b.put("work/sub/code.go", "package sub\n")
	b.put("work/.env", "KEY=canary-18\n")
	b.put("work/.git/config", "[core]\n")
	b.put("work/.git/hooks/sample", "")
	return b
}

func (b *testbed) put(name, text string) string {
	b.t.Helper()
	path := filepath.Join(b.base, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// profile is the usual one of a workspace.
func (b *testbed) profile() *Profile {
	p := NewPlace(Place{
		Folders: []string{b.work}, Home: filepath.Join(b.base, "home"), Environ: []string{"PATH=/usr/bin:/bin"}, Temp: b.temp, Cache: b.cache,
		Secret: func(p string) bool { return filepath.Base(p) == ".env" },
	}).Profile(Wider{Read: []string{b.tools}})
	return &p
}

// run runs a command in the workspace and gives what it printed, and its end.
func (b *testbed) run(s Spawner, env []string, argv ...string) (string, Exit) {
	b.t.Helper()
	p, err := s.Start(b.t.Context(), Command{Argv: argv, Dir: b.work, Env: append([]string{"PATH=/usr/bin:/bin:/usr/sbin:/sbin"}, env...), Profile: b.profile()})
	if err != nil {
		b.t.Fatalf("%q: %v", argv, err)
	}
	defer p.Kill(0)
	out := p.Output()
	defer out.Close()
	text, err := io.ReadAll(out)
	if err != nil {
		b.t.Errorf("%q: reading its output: %v", argv, err)
	}
	return string(text), p.Wait()
}

// shell runs a command line.
func (b *testbed) shell(s Spawner, line string) (string, Exit) {
	b.t.Helper()
	return b.run(s, nil, "/bin/bash", "--noprofile", "--norc", "-c", line)
}

// A told line is a command line, and what it is to print.
type toldLine struct{ name, line, want string }

// tell runs command lines in one command, each by a shell of its own, which is
// much faster than a command for each, and compares what they print. They have to
// succeed if that is wanted.
func (b *testbed) tell(s Spawner, env []string, lines []toldLine, succeed bool) {
	b.t.Helper()
	const end = "\x1e"
	argv := []string{"/bin/bash", "--noprofile", "--norc", "-c", `for line; do bash --noprofile --norc -c "$line"; printf '\036%d\036' $?; done`, "bash"}
	for _, l := range lines {
		argv = append(argv, l.line)
	}
	out, _ := b.run(s, env, argv...)
	parts := strings.Split(out, end)
	if len(parts) != 2*len(lines)+1 {
		b.t.Fatalf("of %d lines there came %q", len(lines), out)
	}
	for i, l := range lines {
		if got, code := parts[2*i], parts[2*i+1]; got != l.want || succeed && code != "0" {
			b.t.Errorf("%s: got %q, exit %s\nwant %q", l.name, got, code, l.want)
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
