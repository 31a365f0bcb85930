package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// Other processes of the same user cannot inspect the program, whose environment and
// memory have the key.
func TestOtherProcessesCannotInspectTheProgram(t *testing.T) {
	w := newWorld(t, geminitest.Reply{Events: []geminitest.Event{geminitest.Text("A beginning")}, End: servertest.Stall})
	// The program can be inspected while it probes for a sandbox.
	w.put(filepath.Join(w.home, "config", "settings.json"), `{"tools.sandbox": "off"}`)
	if os.Getuid() == 0 { // root can inspect everything
		w.giveTo(65534)
	}
	r := w.begin("-p", "hi")
	r.until("A beginning")
	for _, file := range []string{"environ", "mem", "maps", "root/etc/hostname", "fd/0"} {
		look := exec.CommandContext(t.Context(), "head", "-c1", "/proc/"+strconv.Itoa(r.Process.Pid)+"/"+file)
		look.SysProcAttr = r.SysProcAttr
		out, err := look.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "Permission denied") {
			t.Errorf("%s was looked into: %q, %v", file, out, err)
		}
	}
}
