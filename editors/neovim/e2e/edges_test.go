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

// call is a call of the model's with these arguments.
func call(tool string, args map[string]string) geminitest.Event {
	text, err := json.Marshal(args)
	if err != nil {
		panic(err) // strings encode
	}
	return geminitest.Call(tool, string(text))
}

// tail is the end of fee.go.
const tail = "\treturn fmt.Sprintf(\"Paid %d.%02d\", cents/100, cents%100)\n}\n"

// An edit at the end of a file lands once, and the model is told that it was
// applied, though Neovim makes two changes of it, and 0.10 adds an empty line.
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
			e.until("a hunk is pending", `#require("emendo.changes").pending() > 0`)
			e.lua(`require("emendo").accept_all()`)
			e.until("the turn is over", idle)
			e.wants("fee.go", tt.want)
			e.pending(0)
			if told := w.asked(); strings.Contains(told, "Nothing was changed") || !strings.Contains(told, "applied") {
				t.Errorf("the model was told otherwise: %s", told)
			}
			e.keys("u")
			e.wants("fee.go", text)
			w.allDeclared()
		})
	}
}

// A file that is to be created can be opened before; accepting edits it.
func TestAFileThatIsToBeCreatedIsOpened(t *testing.T) {
	const text = "package parking\n\nvar rates int\n"
	w := newWorld(t, parking, geminitest.Do(call("write_file", map[string]string{"file_path": "rates.go", "content": text})), geminitest.Say("Made."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Make it.", open = false })`)
	e.pending(1)
	e.keys(":Emendo hunks<CR>")
	e.until("the list is there", `vim.bo.buftype == "quickfix"`)
	e.keys("<CR>")
	e.until("the file is open", `vim.endswith(vim.api.nvim_buf_get_name(0), "rates.go")`)
	e.sees("var rates int")
	e.pending(1)
	e.keys(":Emendo accept<CR>")
	e.wants("rates.go", text)
	e.until("the turn is over", idle)
	if told := w.asked(); strings.Contains(told, "conflict") || strings.Contains(told, "Nothing was changed") {
		t.Errorf("the model was told of a conflict: %s", told)
	}
	w.allDeclared()
}

// What the user types inside of a hunk ends nothing before there is a pause.
func TestAHalfTypedLineIsNotTold(t *testing.T) {
	w := newWorld(t, parking, geminitest.Do(replace(hours)), geminitest.Say("Seen."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "Fix it.", open = false })`)
	e.pending(1)
	e.keys("gg/hours := minutes<CR>A // as the")
	e.pending(1)
	e.keys(" board says<Esc>")
	e.until("the turn is over", idle)
	if told := w.asked(); !strings.Contains(told, "as the board says") {
		t.Errorf("the model was told a half-typed line: %s", told)
	}
	w.allDeclared()
}

// Ignored files that are open and look secret are not named to the model.
func TestSecretFilesThatAreOpenAreNotNamed(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("It is a tariff."))
	w.write(".gitignore", "secrets.txt\n.env\n")
	w.write("secrets.txt", "hunter2\n")
	w.write(".env", "KEY=hunter2\n")
	e := w.start("fee.go", "secrets.txt", ".env")
	e.keys(":edit secrets.txt<CR>:edit .env<CR>:edit fee.go<CR>")
	e.lua(`require("emendo").ask({ prompt = "What is it?", open = false })`)
	e.until("the turn is over", `(function() local s = require("emendo.session").current; return s and s.stop end)()`)
	for _, no := range []string{"secrets.txt", ".env", "hunter2"} {
		if told := w.asked(); strings.Contains(told, no) {
			t.Errorf("the model was told of %s: %s", no, told)
		}
	}
}

// Files are deleted and moved once that is accepted, with the unsaved text of their
// buffers.
func TestFilesAreDeletedAndMoved(t *testing.T) {
	files := maps.Clone(parking)
	files["gone.go"], files["old.go"] = "package parking\n", "package parking\n\nvar old int\n"
	w := newWorld(t, files,
		geminitest.Do(call("delete_file", map[string]string{"file_path": "gone.go"}), call("move_file", map[string]string{"source_path": "old.go", "destination_path": "lib/new.go"})),
		geminitest.Say("Both are done."))
	e := w.start("old.go")
	e.keys("3GA // unsaved<Esc>")
	e.lua(`require("emendo").ask({ prompt = "Tidy up.", open = false })`)
	e.pending(2)
	e.keys(":Emendo hunks<CR>")
	e.sees("delete")
	if w.read("gone.go") == "" || w.read("old.go") != files["old.go"] {
		t.Error("something happened before it was accepted")
	}
	e.keys(":cclose<CR>:Emendo accept_all<CR>")
	e.chooses("Accept 2 hunks in 2 files")
	e.until("the turn is over", idle)
	e.pending(0)
	for _, name := range []string{"gone.go", "old.go"} {
		if _, err := os.Stat(w.path(name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	e.until("the buffer follows", `vim.endswith(vim.api.nvim_buf_get_name(0), "/lib/new.go")`)
	e.wants("new.go", "package parking\n\nvar old int // unsaved\n")
	for _, want := range []string{"applied: file deleted", "applied: file renamed to"} {
		if asked := w.asked(); !strings.Contains(asked, want) {
			t.Errorf("the model was not told %q: %s", want, asked)
		}
	}
	w.allDeclared()
}
