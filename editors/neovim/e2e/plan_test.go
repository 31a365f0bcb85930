//go:build editors

package e2e

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// The panel shows a plan with the question to approve it. The plan opens as a file.
func TestAPlanIsReadBeforeItIsApproved(t *testing.T) {
	w := newWorld(t, parking,
		geminitest.Do(geminitest.Call("write_file", `{"file_path":"plan.md","content":"# Round up\n\n- **first** the tests\n"}`)),
		geminitest.Do(geminitest.Call("exit_plan_mode", `{"plan_filename":"plan.md"}`)),
		geminitest.Say("I begin."))
	e := w.start("fee.go")
	e.lua(`require("emendo").mode("plan"); require("emendo").ask({ prompt = "Plan it." })`)
	e.waitUntil("there is a question", asking)
	if q := e.lastQuestion(); !strings.HasPrefix(q, "? Carry out this plan?\n    # Round up\n    \n    - **first** the tests\n") || !strings.Contains(q, "  1. Approve: Carry the plan out, and ask before each change\n") {
		t.Errorf("the question is not about the plan:\n%s", q)
	}
	e.lua(`vim.api.nvim_set_current_win(require("emendo.panel").window())`)
	e.keys("/→ .*plan.md$<CR><CR>")
	e.waitUntil("the plan is open", `vim.endswith(vim.api.nvim_buf_get_name(0), "/plan.md") and vim.fn.getline(1) == "# Round up"`)
	e.keys(":Emendo permission allow_once<CR>")
	e.waitFor("I begin.")
	e.waitUntil("the session continues in another mode", `require("emendo").state().session.mode == "default"`)
	e.waitUntil("the turn is over", idle)
	w.checkAllDeclared()
}
