package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// What runs beside the program, as the same user, cannot look into it: the key
// is in its environment and in its memory.
func TestOthersCannotLookIntoTheProgram(t *testing.T) {
	w := newWorld(t, geminitest.Reply{Events: []geminitest.Event{geminitest.Text("A beginning")}, End: geminitest.Stall})
	// The program can be looked into while it tries a sandbox, before it has one.
	w.put(filepath.Join(w.home, "config", "settings.json"), `{"tools.sandbox": "off"}`)
	if os.Getuid() == 0 { // root looks into everything
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
