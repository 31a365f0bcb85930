//go:build editors

package e2e

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

var manyHunks = flag.Int("hunks", 600, "how many hunks wait in the file that TestAFileWithManyHunks opens")

// mostBusy is how long Neovim may be busy with hunks at a stretch, in ms of its own CPU time,
// beside what it does with the same text without them.
const mostBusy = 50

// A file with thousands of pending hunks is opened, typed in and decided, and files that no
// buffer has hold as many that are applied: Neovim is never busy for long.
func TestAFileWithManyHunks(t *testing.T) {
	pending, files, inEach := *manyHunks, *manyHunks/10, 17
	before, after := functions(pending)
	small, smaller := functions(inEach)
	project := map[string]string{"levels.txt": before, "plain.txt": before, "main.txt": "here\n"}
	var calls []geminitest.Event
	var replies []geminitest.Reply
	for i := range files {
		name := fmt.Sprintf("lot%d.txt", i)
		project[name] = small
		calls = append(calls, call("write_file", map[string]string{"file_path": name, "content": smaller}))
	}
	for some := range slices.Chunk(calls, 30) {
		replies = append(replies, geminitest.Do(geminitest.Join(some...)))
	}
	replies = append(replies, geminitest.Say("Done."),
		geminitest.Do(call("write_file", map[string]string{"file_path": "levels.txt", "content": after})), geminitest.Say("Done."))
	w := newWorld(t, project, replies...)
	w.emendo("trust", "add")
	e := w.start("main.txt")
	e.lua(`require("emendo").mode("auto_edit"); require("emendo").ask({ prompt = "Make all of them shorter.", open = false })`)
	for part := range 10 {
		e.waitUntil("the changes are applied", `#require("emendo.review.changes").hunks({ "unreviewed" }) >= ...`, files*inEach*(part+1)/10)
	}
	e.waitUntil("the turn is over", idle)
	e.lua(`require("emendo").mode("default")`)
	e.waitUntil("edits are proposed", `require("emendo").state().session.mode == "default"`)
	e.lua(`require("emendo").ask({ prompt = "And these.", open = false })`)
	e.waitForPending(pending)

	busy := func(what string, beside int, do func()) (ms int) {
		t.Helper()
		worked := e.measureStalls()
		do()
		e.waitForScreen()
		ms = worked()
		t.Logf("%s: busy for %d ms at a stretch at most", what, ms)
		if ms > beside+mostBusy {
			t.Errorf("%s: busy for %d ms, more than %d", what, ms, beside+mostBusy)
		}
		return ms
	}
	busy("all hunks come", 0, func() {
		e.lua(`_G.came = false
			require("emendo.events").on("window", function(changed) _G.came = _G.came or changed == nil end)
			require("emendo.session.window").open()`)
		e.waitUntil("all hunks are there", `_G.came and vim.tbl_count(require("emendo.review.changes").known) == ...`, pending+files*inEach)
	})
	if rows := value[int](e, `return #vim.tbl_filter(function(h) return h.rows ~= nil end, vim.tbl_values(require("emendo.session.window").view.hunks))`); rows > 0 {
		t.Errorf("%d hunks of closed files have rows", rows)
	}
	drawn := `#vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_get_namespaces()["emendo.hunks"], 0, -1, { type = "sign" }) == ...`
	open := func(file string, hunks int) func() {
		return func() {
			e.keys(":edit " + file + "<CR>")
			e.waitUntil(file+" is shown", `vim.endswith(vim.api.nvim_buf_get_name(0), ...)`, file)
			e.waitUntil("its hunks are drawn", drawn, hunks)
		}
	}
	typed := func() {
		e.keys("ggO")
		e.waitUntil("the user inserts", `vim.fn.mode() == "i"`)
		user := e.typist()
		user.waitForKeys(50)
		text := user.stop()
		e.keys("<Esc>")
		e.waitUntil("all is there", `vim.fn.getline(1) == ...`, text)
	}
	plain := busy("the text without hunks", 1000, open("plain.txt", 0))
	key := busy("keys in it", 1000, typed)
	e.keys("u")
	busy("the file with hunks", plain, open("levels.txt", pending))
	busy("keys in it", key, typed)
	first := strings.Index(before, "\tx := 0\n")
	row := strings.Count(before[:first], "\n") + 1 // a line was added
	e.waitUntil("the hunks have moved", `(function(row)
		local h = require("emendo.review.changes").pending()[1]
		return h.range.start.line == row and require("emendo.review.drawing").row(h, 0) == row and vim.fn.getline(row + 1) == "\tx := 0"
	end)(...)`, row)
	busy("one is accepted", key, func() {
		e.lua(`require("emendo").accept({ hunk = require("emendo.review.changes").pending()[1].id })`)
		e.waitForPending(pending - 1)
		e.waitUntil("it is not drawn any more", drawn, pending-1)
	})
	w.checkAllDeclared()
}
