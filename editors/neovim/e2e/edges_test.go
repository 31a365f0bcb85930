//go:build editors

package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// call returns a call of the model with these arguments.
func call(tool string, args map[string]string) geminitest.Event {
	text, err := json.Marshal(args)
	if err != nil {
		panic(err) // only strings
	}
	return geminitest.Call(tool, string(text))
}

// tail is the end of fee.go.
const tail = "\treturn fmt.Sprintf(\"Paid %d.%02d\", cents/100, cents%100)\n}\n"

// An edit at the end of a file is applied once and reported as applied, although Neovim
// sends two changes for it, and 0.10 adds an empty line.
func TestEditsAtTheEndOfAFile(t *testing.T) {
	text := parking["fee.go"]
	for _, tt := range []struct {
		name string
		call geminitest.Event
		want string
	}{
		{"appended", replace([2]string{tail, tail + "\n// The end.\n"}), text + "\n// The end.\n"},
		{"the last line", replace([2]string{tail, strings.TrimSuffix(tail, "}\n") + "} // Receipt\n"}), strings.TrimSuffix(text, "}\n") + "} // Receipt\n"},
		{"deleted", replace([2]string{tail, ""}), strings.TrimSuffix(text, tail)},
		{"written again and longer", call("write_file", map[string]string{"file_path": "fee.go", "content": text + "\nvar last int\n"}), text + "\nvar last int\n"},
		{"written again and shorter", call("write_file", map[string]string{"file_path": "fee.go", "content": "package parking\n"}), "package parking\n"},
		{"written again from the first to the last line", call("write_file", map[string]string{"file_path": "fee.go", "content": "// One.\n// Two.\n"}), "// One.\n// Two.\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, parking, geminitest.Do(tt.call), geminitest.Say("Done."))
			e := w.start("fee.go")
			e.lua(`require("emendo").ask({ prompt = "Do it.", open = false })`)
			e.waitUntil("a hunk is pending", `#require("emendo.review.changes").pending() > 0`)
			e.lua(`require("emendo").accept_all()`)
			e.waitUntil("the turn is over", idle)
			e.waitForBuffer("fee.go", tt.want)
			e.waitForPending(0)
			if sent := w.lastRequest(); strings.Contains(sent, "Nothing was changed") || !strings.Contains(sent, "applied") {
				t.Errorf("unexpected last request: %s", sent)
			}
			e.keys("u")
			e.waitForBuffer("fee.go", text)
			w.checkAllDeclared()
		})
	}
}

// A file to be created can be opened first; accepting then edits its buffer.
func TestAFileThatIsToBeCreatedIsOpened(t *testing.T) {
	const text = "package parking\n\nvar rates int\n"
	w := newWorld(t, parking, geminitest.Do(call("write_file", map[string]string{"file_path": "rates.go", "content": text})), geminitest.Say("Made."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Make it.", open = false })`)
	e.waitForPending(1)
	e.keys(":Emendo hunks<CR>")
	e.waitUntil("the list is there", `vim.bo.buftype == "quickfix"`)
	e.keys("<CR>")
	e.waitUntil("the file is open", `vim.endswith(vim.api.nvim_buf_get_name(0), "rates.go")`)
	e.waitFor("var rates int")
	e.waitForPending(1)
	e.keys(":Emendo accept<CR>")
	e.waitForBuffer("rates.go", text)
	e.waitUntil("the turn is over", idle)
	if sent := w.lastRequest(); strings.Contains(sent, "conflict") || strings.Contains(sent, "Nothing was changed") {
		t.Errorf("the last request mentions a conflict: %s", sent)
	}
	w.checkAllDeclared()
}

// Typing inside a hunk does not end it until there is a pause.
func TestAHalfTypedLineIsNotSent(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(replace(hours)), geminitest.Say("Seen."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Fix it.", open = false })`)
	e.waitForPending(1)
	e.keys("gg/hours := minutes<CR>A // as the")
	e.waitForPending(1)
	e.keys(" board says<Esc>")
	e.waitUntil("the turn is over", idle)
	if sent := w.lastRequest(); !strings.Contains(sent, "as the board says") {
		t.Errorf("the last request has a half-typed line: %s", sent)
	}
	w.checkAllDeclared()
}

// Open files that are ignored or look secret are not named to the model.
func TestSecretFilesThatAreOpenAreNotNamed(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("It is a tariff."))
	w.write(".gitignore", "secrets.txt\n.env\n")
	w.write("secrets.txt", "hunter2\n")
	w.write(".env", "KEY=hunter2\n")
	e := w.start("fee.go", "secrets.txt", ".env")
	e.keys(":edit secrets.txt<CR>:edit .env<CR>:edit fee.go<CR>")
	e.lua(`require("emendo").ask({ prompt = "What is it?", open = false })`)
	e.waitUntil("the turn is over", `(function() local s = require("emendo.session").current; return s and s.stop end)()`)
	for _, no := range []string{"secrets.txt", ".env", "hunter2"} {
		if sent := w.lastRequest(); strings.Contains(sent, no) {
			t.Errorf("the last request mentions %s: %s", no, sent)
		}
	}
}

// Accepting deletes and moves files. Unsaved text moves with its buffer.
func TestFilesAreDeletedAndMoved(t *testing.T) {
	files := maps.Clone(parking)
	files["gone.go"], files["old.go"] = "package parking\n", "package parking\n\nvar old int\n"
	w := newWorld(t, files,
		geminitest.Do(call("delete_file", map[string]string{"file_path": "gone.go"}), call("move_file", map[string]string{"source_path": "old.go", "destination_path": "lib/new.go"})),
		geminitest.Say("Both are done."))
	e := w.start("old.go")
	e.keys("3GA // unsaved<Esc>")
	e.lua(`require("emendo").ask({ prompt = "Tidy up.", open = false })`)
	e.waitForPending(2)
	e.keys(":Emendo hunks<CR>")
	e.waitFor("Delete this file")
	if w.read("gone.go") == "" || w.read("old.go") != files["old.go"] {
		t.Error("files changed before the change was accepted")
	}
	e.keys(":cclose<CR>:Emendo accept_all<CR>")
	e.choose("Accept all (2)")
	e.waitUntil("the turn is over", idle)
	e.waitForPending(0)
	for _, name := range []string{"gone.go", "old.go"} {
		if _, err := os.Stat(w.path(name)); err == nil {
			t.Errorf("%s still exists", name)
		}
	}
	e.waitUntil("the buffer follows", `vim.endswith(vim.api.nvim_buf_get_name(0), "/lib/new.go")`)
	e.waitForBuffer("new.go", "package parking\n\nvar old int // unsaved\n")
	for _, want := range []string{"applied: file deleted", "applied: file renamed to"} {
		if asked := w.lastRequest(); !strings.Contains(asked, want) {
			t.Errorf("the last request lacks %q: %s", want, asked)
		}
	}
	w.checkAllDeclared()
}
