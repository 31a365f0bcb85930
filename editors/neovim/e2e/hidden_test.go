//go:build editors

package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// What no screen shows is spelled out where a change is decided, in an open file
// and in one that would be made; what is accepted is what was proposed.
func TestNothingHidesInAProposedChange(t *testing.T) {
	const text = "\t// all\u202e is\u00ad well\U000E0041\n"
	const shown = `// all\u{202E} is\u{00AD} well\u{E0041}`
	write, err := json.Marshal(map[string]string{"file_path": "new.go", "content": "package parking\n" + text})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, parking,
		geminitest.Do(geminitest.Join(replace([2]string{hours[0], hours[0] + text}), geminitest.Call("write_file", string(write)))), geminitest.Say("Both are in."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Comment it.", open = false })`)
	e.pending(2)
	e.sees(shown)
	e.keys(":Emendo next<CR>:Emendo next<CR>")
	e.sees("emendo would create new.go")
	e.sees(shown)
	e.keys(":Emendo diff<CR>")
	e.until("the diff is there", `vim.api.nvim_buf_get_name(0) == "emendo://diff"`)
	if diff := e.buffer("emendo://diff"); strings.Count(diff, shown) != 2 {
		t.Errorf("the diff hides something:\n%s", diff)
	}
	e.keys(":Emendo accept_all<CR>")
	e.chooses("Accept 2 hunks in 2 files")
	e.wants("fee.go", strings.Replace(parking["fee.go"], hours[0], hours[0]+text, 1))
	e.until("all is decided", idle)
	if got := w.read("new.go"); got != "package parking\n"+text {
		t.Errorf("got %q", got)
	}
}
