package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

func TestTrustedFolderMayAct(t *testing.T) {
	w := newWorld(t)
	touch := func(name string) bool {
		t.Helper()
		w.model.Add(geminitest.Do(geminitest.Call("run_shell_command", `{"command": "touch `+name+`"}`)), geminitest.Say("Done."))
		w.exec("run", "-p", "hi", "--allowed-tools", "run_shell_command").wantCode(t, 0)
		_, err := os.Stat(filepath.Join(w.dir, name))
		return err == nil
	}
	if touch("before") {
		t.Error("a folder that nobody trusted was acted in")
	}
	w.exec("trust", "add").wantCode(t, 0)
	if r := w.exec("trust", "list"); r.stdout != w.dir+"\n" {
		t.Errorf("listed %q", r.stdout)
	}
	if !touch("trusted") {
		t.Error("the stored decision does not count")
	}
	w.exec("trust", "remove", w.dir).wantCode(t, 0)
	if r := w.exec("trust", "list"); r.stdout != "" {
		t.Errorf("listed %q", r.stdout)
	}
	if touch("after") {
		t.Error("taking trust away does not count")
	}
	w.exec("trust", "remove").wantCode(t, 0) // again changes nothing
}
