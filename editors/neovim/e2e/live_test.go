//go:build editors

package e2e

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// The last lines of a command's output are shown while it runs, as in a terminal.
// Cancelling ends the command, and its output can be unfolded.
func TestACommandsOutputIsLiveAndItIsCancelled(t *testing.T) {
	const command = `for i in 1 2 3 4 5 6 7 8; do echo line $i; done; printf '10%%\\r\\033[32m50%%\\033[0m'; sleep 600`
	w := newWorld(t, parking, geminitest.Do(geminitest.Call("run_shell_command", `{"command":"`+command+`"}`)))
	w.emendo("trust", "add")
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Build it." })`)
	e.waitUntil("there is a question", asking)
	e.lua(`require("emendo").permission("allow_once")`)
	e.waitUntil("the last five lines are shown", `(function()
		local panel = table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr("emendo://panel"), 0, -1, false), "\n")
		return panel:find("  ▸\n    line 5\n    line 6\n    line 7\n    line 8\n    50%\n→ Allow once", 1, true)
	end)()`)
	e.focusEvents()

	e.keys("\\ee") // the panel is closed, and the command goes on
	e.keys(":Emendo cancel<CR>")
	e.waitUntil("the turn is over", idle)
	e.keys("\\ee<Esc>")
	e.waitFor("! Cancelled.")
	e.waitFor("cancelled, ")
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
	for _, pid := range w.pids() {
		p, err := os.FindProcess(pid)
		if err == nil {
			err = p.Signal(syscall.Signal(0))
		}
		if !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d still exists: %v", pid, err)
		}
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
	e.waitFor("✗ touch made; exit 3  exit 3, ")
}

// pids returns the process IDs of the running commands.
func (w *world) pids() (all []int) {
	w.t.Helper()
	for _, s := range of(w.wire(), "emendo/session/update") {
		u := params[struct {
			Update struct {
				Meta struct{ Emendo struct{ PID int } } `json:"_meta"`
			}
		}](w.t, s)
		if pid := u.Update.Meta.Emendo.PID; pid != 0 {
			all = append(all, pid)
		}
	}
	if len(all) == 0 {
		w.t.Error("no process IDs")
	}
	return all
}
