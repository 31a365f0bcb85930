//go:build editors

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// The last lines of a command's output are shown while it runs, as in a terminal.
// Cancelling ends the command, and its output can be unfolded.
func TestACommandsOutputIsLiveAndItIsCancelled(t *testing.T) {
	const command = `for i in 1 2 3 4 5 6 7 8; do echo line $i; done; printf '10%%\\r\\033[32m50%%\\033[0m'; sleep 600.625`
	w := newWorld(t, parking, geminitest.Do(geminitest.Call("run_shell_command", `{"command":"`+command+`"}`)))
	w.emendo("trust", "add")
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Build it." })`)
	e.waitUntil("there is a question", asking)
	e.lua(`require("emendo").permission("allow_once")`)
	e.waitUntil("the last five lines are shown", `(function()
		local panel = table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr("emendo://panel"), 0, -1, false), "\n")
		return panel:find("  ▸\n    line 5\n    line 6\n    line 7\n    line 8\n    50%", 1, true)
	end)()`)
	if len(sleeping(t)) == 0 {
		t.Error("the command does not run")
	}
	e.focusEvents()

	e.keys("\\ee") // the panel is closed, and the command goes on
	e.keys(":Emendo cancel<CR>")
	e.waitUntil("the turn is over", idle)
	e.keys("\\ee<Esc>")
	e.waitFor("! Cancelled.")
	e.waitFor("cancelled")
	panel := e.buffer("emendo://panel")
	if strings.Contains(panel, "    line") {
		t.Errorf("output is not folded:\n%s", panel)
	}
	e.lua(`vim.api.nvim_set_current_win(require("emendo.panel").window())`)
	e.keys("zR")
	e.waitFor("    line 1")
	if panel := e.buffer("emendo://panel"); !strings.Contains(panel, "    line 1\n") || !strings.Contains(panel, "    line 8\n    50%\n") || strings.Contains(panel, "10%\n") {
		t.Errorf("the output is not complete:\n%s", panel)
	}
	if pids := sleeping(t); len(pids) > 0 {
		t.Errorf("the processes %v still exist", pids)
	}
	w.checkAllDeclared()
}

// A failed command is marked as failed.
func TestAFailedCommandIsShownAsFailed(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(geminitest.Call("run_shell_command", `{"command":"touch made; exit 3"}`)), geminitest.Say("It failed."))
	w.emendo("trust", "add")
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Make it." })`)
	e.waitUntil("there is a question", asking)
	e.lua(`require("emendo").permission("allow_once")`)
	e.waitFor("It failed.")
	e.waitFor("✗ touch made; exit 3  exit 3")
}

// sleeping returns the process IDs of what the command of the test runs in the end.
func sleeping(t *testing.T) (pids []string) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if text, err := os.ReadFile(line); err == nil && strings.HasPrefix(string(text), "sleep\x00600.625") { // it may end meanwhile
			pids = append(pids, filepath.Base(filepath.Dir(line)))
		}
	}
	return pids
}
