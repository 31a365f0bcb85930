//go:build editors

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/neovim/go-client/nvim"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// The ways in which users of Neovim have emendo.
const (
	withPlugin = `
		vim.opt.runtimepath:append(...)
		require("emendo").setup({ start = true })
		vim.cmd.edit("a.txt")`
	withoutPlugin = `
		vim.cmd.edit("a.txt")
		vim.lsp.start({ name = "emendo", cmd = { "emendo", "lsp" }, root_dir = vim.fn.getcwd() })`
)

// neovim starts Neovim with a.txt open, and waits until emendo shows others what is.
func (w *world) neovim(config string) *nvim.Nvim {
	w.t.Helper()
	name := os.Getenv("EMENDO_NVIM")
	if name == "" {
		name = "nvim"
	}
	n, err := nvim.NewChildProcess(
		nvim.ChildProcessCommand(name), nvim.ChildProcessArgs("--embed", "--headless", "--clean", "-n"), nvim.ChildProcessDir(w.dir),
		nvim.ChildProcessEnv(w.env), nvim.ChildProcessLogf(w.t.Logf), nvim.ChildProcessContext(w.t.Context()))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = n.Close() }) // it may have been killed
	w.lua(n, config, module(w.t, "../../neovim"))
	w.await("the editor is announced", func() bool {
		l, err := filepath.Glob(filepath.Join(w.home(), "state", "editors", "*.json"))
		return err != nil || len(l) > 0
	})
	return n
}

func (w *world) home() string { return filepath.Join(filepath.Dir(w.dir), "home") }

func (w *world) lua(n *nvim.Nvim, code string, args ...any) (result string) {
	w.t.Helper()
	if err := n.ExecLua(code, &result, args...); err != nil {
		w.t.Fatal(err)
	}
	return result
}

func (w *world) await(what string, is func() bool) {
	w.t.Helper()
	late := time.After(30 * time.Second)
	for !is() {
		select {
		case <-late:
			w.t.Fatalf("it never came that %s", what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// typed replaces a line in Neovim, and returns when emendo has the text.
func (w *world) typed(n *nvim.Nvim, line int, text string) {
	w.t.Helper()
	w.lua(n, `
		local line, text = ...
		vim.api.nvim_buf_set_lines(0, line, line + 1, true, { text })
		local client = vim.lsp.get_clients()[1]
		client.request_sync("textDocument/hover", { textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = 0, character = 0 } }, 10000, 0)
		return ""`, line, text)
}

const buffer = `return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n") .. (vim.bo.modified and " (unsaved)" or "")`

// TestAcpxAndNeovim: what acpx has emendo do in a folder is done to the text that Neovim
// shows.
func TestAcpxAndNeovim(t *testing.T) {
	read := geminitest.Call("read_file", `{"file_path":"a.txt"}`)
	for name, config := range map[string]string{"plugin": withPlugin, "no plugin": withoutPlugin} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t,
				geminitest.Do(read), geminitest.Do(edit("one", "ONE")), geminitest.Say("All done."),
				geminitest.Do(read), geminitest.Do(edit("two, unsaved", "TWO")), geminitest.Say("All done."))
			n := w.neovim(config + `; return ""`)
			acpx := func() {
				t.Helper()
				w.run("node", module(t, "node_modules/acpx/dist/cli.js"), "--agent", program+" acp", "--cwd", w.dir, "--timeout", "60", "--approve-all", "exec", "Edit the file.")
			}

			acpx() // what Neovim has open, and has saved
			want, onDisk := "ONE\ntwo", "ONE\ntwo\n"
			if name == "no plugin" { // emendo cannot have it saved
				want, onDisk = "ONE\ntwo (unsaved)", "one\ntwo\n"
			}
			if got := w.lua(n, buffer); got != want || w.read("a.txt") != onDisk {
				t.Errorf("Neovim shows %q, and the disk has %q", got, w.read("a.txt"))
			}

			w.typed(n, 1, "two, unsaved")
			acpx()
			if got := w.lua(n, buffer); got != "ONE\nTWO (unsaved)" || w.read("a.txt") != onDisk {
				t.Errorf("Neovim shows %q, and the disk has %q", got, w.read("a.txt"))
			}
			if requests := w.model.Requests(); !strings.Contains(string(requests[len(requests)-1].Body), "two, unsaved") {
				t.Error("the model did not read the unsaved text")
			}
			if got := w.lua(n, "vim.cmd.undo(); "+buffer); got != "ONE\ntwo, unsaved (unsaved)" {
				t.Errorf("after undo Neovim shows %q", got)
			}
		})
	}
}
