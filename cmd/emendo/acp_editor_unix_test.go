//go:build unix

package main

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/ide"
)

// signal sends a signal to the process that serves the editor.
func (w *world) signal(s syscall.Signal) {
	w.t.Helper()
	m := regexp.MustCompile(`pid=(\d+)`).FindStringSubmatch(w.readFrom(filepath.Join(w.home, "state", "logs", "lsp.log")))
	if m == nil {
		w.t.Fatal("the log does not name the process")
	}
	pid, err := strconv.Atoi(m[1])
	if err == nil {
		err = syscall.Kill(pid, s)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// TestACPWhileTheEditorHangs: a process that hangs delays little, and what it has open is
// not changed behind its back; of one that has ended, the disk counts.
func TestACPWhileTheEditorHangs(t *testing.T) {
	read := geminitest.Do(geminitest.Call("read_file", `{"file_path":"a.txt"}`))
	w := newWorld(t,
		geminitest.Say("ready"),
		read, geminitest.Do(editCall("two, unsaved", "TWO")), geminitest.Do(geminitest.Call("write_file", `{"file_path":"b.txt","content":"new\n"}`)), geminitest.Say("stopped"),
		read, geminitest.Do(editCall("two, unsaved", "TWO")), geminitest.Say("awake"),
		read, geminitest.Do(editCall("two", "2")), geminitest.Say("killed")).trusted()
	w.write("a.txt", "one\ntwo\n")
	uri := string(ide.FileURI(filepath.Join(w.dir, "a.txt")))
	v := w.editor()
	v.typed(uri, "two", "two, unsaved")
	c := w.acp()
	c.Permit = option("allow_once", nil)
	c.Initialize()
	id := w.acpSession(c)
	askACP(t, c, id, "one")

	w.signal(syscall.SIGSTOP)
	begun := time.Now()
	askACP(t, c, id, "two")
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("with an editor that hangs the prompt took %v", took)
	}
	if body := w.lastBody(); !strings.Contains(body, "two, unsaved") || !strings.Contains(body, "does not answer") {
		t.Errorf("the model reads %s", body)
	}
	if a, b := w.read("a.txt"), w.read("b.txt"); a != "one\ntwo\n" || b != "new\n" {
		t.Errorf("the disk has %q and %q", a, b)
	}

	w.signal(syscall.SIGCONT)
	askACP(t, c, id, "three")
	if got := v.Text(uri); got != "one\nTWO\n" || w.read("a.txt") != "one\ntwo\n" {
		t.Errorf("once it is awake the buffer is %q, and the disk has %q", got, w.read("a.txt"))
	}

	w.signal(syscall.SIGKILL)
	if err := v.Vanish(); err == nil {
		t.Error("a killed server ends without an error")
	}
	askACP(t, c, id, "four")
	if got := w.read("a.txt"); got != "one\n2\n" {
		t.Errorf("once it is killed the disk has %q", got)
	}
}
