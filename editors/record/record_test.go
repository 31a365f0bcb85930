//go:build editors

package record

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestRecord records the editors that the flag names, one after the other.
func TestRecord(t *testing.T) {
	for name, l := range programs {
		for _, program := range l {
			version := versionOf(t, drivers[name], program)
			t.Run(name+" "+version, func(t *testing.T) {
				recordings := recordAll(t, drivers[name], program)
				if err := write(filepath.Join(fixtures, name+"-"+version+".jsonl"), recordings); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// versionOf returns what the program says of itself.
func versionOf(t *testing.T, d driver, program string) string {
	t.Helper()
	if d.release != nil {
		return d.release(t)
	}
	out, err := exec.Command(program, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	find := d.version
	if find == nil {
		find = regexp.MustCompile(`([0-9]+(\.[0-9]+)+)`)
	}
	v := find.FindStringSubmatch(string(out))
	if v == nil {
		t.Fatalf("%s tells no version: %q", program, out)
	}
	return v[1]
}

// recordAll starts the editor and has it do every case, in one run.
func recordAll(t *testing.T, d driver, program string) []recording {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e := start(t, d, program, dir)
	var l []recording
	unsaved := map[string]recording{} // by the file's URI
	for i, c := range casesFor(d) {
		file := filepath.Join(dir, "ws", fmt.Sprintf("case%02d.txt", i+1))
		r, err := e.server.record(c, file, func() { e.press(d.letter) }, func() { e.press(d.undo) })
		if err != nil {
			e.show()
			t.Fatalf("%s: %v", c.name, err)
		}
		if wanted := intended(r); strings.TrimSuffix(r.Final, "\n") != strings.TrimSuffix(wanted, "\n") {
			t.Logf("%s: the editor has %q, and %q was asked for", c.name, r.Final, wanted)
		}
		l = append(l, r)
		if r.Final != r.Initial {
			unsaved["file://"+file] = r
		}
	}
	e.saved(unsaved)
	return l
}

// intended applies the edits of a recording as LSP means them: all ranges are
// those of the initial text.
func intended(r recording) string {
	text := r.Initial
	for i := len(r.Edits) - 1; i >= 0; i-- {
		x := r.Edits[i]
		text = text[:offset(text, x.Range.Start, r.Encoding)] + x.NewText + text[offset(text, x.Range.End, r.Encoding):]
	}
	return text
}

// editor is a running editor in a terminal.
type editor struct {
	t      *testing.T
	driver driver
	dir    string
	socket string // tmux's
	server *server
}

// start starts an editor in a terminal of its own, with the stub for its
// language server, and waits until it has opened its first file.
func start(t *testing.T, d driver, program, dir string) *editor {
	t.Helper()
	e := &editor{t: t, driver: d, dir: dir, socket: filepath.Join(dir, "tmux")}
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, "stub"))
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "ws"), 0o700)
	}
	if err == nil { // a project's root, for whoever looks for one
		err = exec.Command("git", "init", "-q", filepath.Join(dir, "ws")).Run()
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "ws", "first.txt"), []byte("first\n"), 0o600)
	}
	for name, text := range d.config(filepath.Join(dir, "stub")) {
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	e.tmux("-f", "/dev/null", "new-session", "-d", "-s", "editor", "-x", "120", "-y", "40", "-c", filepath.Join(dir, "ws"),
		fmt.Sprintf("HOME=%s XDG_CONFIG_HOME=%s/config XDG_CACHE_HOME=%s/cache XDG_STATE_HOME=%s/state RECORD_SOCKET=%s TERM=xterm-256color %s 2>%s/stderr || cat %s/stderr - ",
			dir, dir, dir, dir, filepath.Join(dir, "socket"), strings.Join(d.command(t, program, dir), " "), dir, dir))
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", e.socket, "kill-server").Run() })
	_ = l.(*net.UnixListener).SetDeadline(time.Now().Add(8 * patience))
	conn, err := l.Accept()
	if err != nil {
		e.show()
		t.Fatalf("the editor did not start its language server: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	e.server = serve(conn)
	if err := e.server.until("its first file", func(m message) bool { return m.Method == "textDocument/didOpen" }); err != nil {
		e.show()
		t.Fatal(err)
	}
	return e
}

func (e *editor) tmux(args ...string) string {
	e.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", e.socket}, args...)...).CombinedOutput()
	if err != nil {
		e.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// press presses keys as tmux names them.
func (e *editor) press(keys []string) {
	e.t.Helper()
	e.tmux(append([]string{"send-keys", "-t", "editor"}, keys...)...)
}

// show logs what is on the screen.
func (e *editor) show() {
	e.t.Helper()
	e.t.Log(e.tmux("capture-pane", "-p", "-t", "editor"))
}

// saved has the editor save everything, and compares the files to what the
// editor had reported: one line end more or less at the end, and the kind of
// line ends, are its own affair.
func (e *editor) saved(unsaved map[string]recording) {
	e.t.Helper()
	if e.driver.save != nil {
		e.press(e.driver.save)
	} else if err := e.server.send(message{Method: "record/save", Params: json.RawMessage("{}")}); err != nil {
		e.t.Fatal(err)
	}
	left := len(unsaved)
	err := e.server.until("didSave of everything", func(m message) bool {
		var p struct{ TextDocument struct{ URI string } }
		if m.Method != "textDocument/didSave" || json.Unmarshal(m.Params, &p) != nil {
			return false
		}
		r, ok := unsaved[p.TextDocument.URI]
		if !ok {
			return false
		}
		delete(unsaved, p.TextDocument.URI)
		left--
		text, err := os.ReadFile(strings.TrimPrefix(p.TextDocument.URI, "file://"))
		saved, reported := strings.ReplaceAll(string(text), "\r\n", "\n"), strings.ReplaceAll(r.Final, "\r\n", "\n")
		if err != nil || saved != reported && saved+"\n" != reported && saved != reported+"\n" {
			e.t.Errorf("%s: the editor reported %q and saved %q (%v)", r.Name, r.Final, text, err)
		}
		return left == 0
	})
	if err != nil {
		e.show()
		e.t.Fatal(err)
	}
}

// TestRecordings checks the fixtures: each has every case, and what
// the editor reported leads from the initial text to the final one.
func TestRecordings(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(fixtures, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d fixtures, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			l, err := read(file)
			if err != nil {
				t.Fatal(err)
			}
			editor, _, _ := strings.Cut(filepath.Base(file), "-")
			wanted := casesFor(drivers[editor])
			if len(l) != len(wanted) {
				t.Fatalf("%d cases, want %d: record it again", len(l), len(wanted))
			}
			for i, r := range l {
				if r.Name != wanted[i].name || r.Disk != wanted[i].text {
					t.Errorf("case %d is %q, want %q", i+1, r.Name, wanted[i].name)
				}
				if text, err := r.replayed(); err != nil || text != r.Final {
					t.Errorf("%s: the messages lead to %q, want %q (%v)", r.Name, text, r.Final, err)
				}
			}
		})
	}
}
