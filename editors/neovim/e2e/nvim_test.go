//go:build editors

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neovim/go-client/nvim"
)

// patience is how long a test waits for something that must happen.
const patience = 30 * time.Second

// The size of the screen, in cells.
const (
	columns = 132
	rows    = 40
)

// editor is a running Neovim that a test drives.
type editor struct {
	t      *testing.T
	nvim   *nvim.Nvim
	screen *screen

	mu      sync.Mutex
	waiting map[int]chan string // by ID: the outcome that Neovim reports, "" for success
	next    int
	stopped bool
}

// start starts Neovim as docs/neovim.md sets it up, with a screen attached.
func (w *world) start(files ...string) *editor {
	w.t.Helper()
	return w.startNeovim(append([]string{"--embed", "-n"}, files...))
}

func (w *world) startNeovim(args []string) *editor {
	w.t.Helper()
	n, err := nvim.NewChildProcess(
		nvim.ChildProcessCommand(neovim), nvim.ChildProcessArgs(args...), nvim.ChildProcessDir(w.dir),
		nvim.ChildProcessEnv(w.env), nvim.ChildProcessLogf(w.t.Logf), nvim.ChildProcessContext(w.t.Context()))
	if err != nil {
		w.t.Fatal(err)
	}
	e := &editor{t: w.t, nvim: n, screen: newScreen(), waiting: map[int]chan string{}}
	w.t.Cleanup(e.stop)
	e.must(n.RegisterHandler("redraw", e.screen.redraw))
	e.must(n.RegisterHandler("notified", e.notified))
	e.within("start", func() error {
		return n.AttachUI(columns, rows, map[string]any{"ext_linegrid": true, "rgb": true})
	})
	e.waitUntil("Neovim has started", "vim.v.vim_did_enter == 1")
	e.lua(watch)
	return e
}

// watch records events that move the focus, and written files.
const watch = `
	_G.focused, _G.written = {}, {}
	local note = function(event)
		local name = vim.api.nvim_buf_is_valid(event.buf) and vim.api.nvim_buf_get_name(event.buf) or ""
		table.insert(_G.focused, event.event .. " " .. (event.event == "ModeChanged" and event.match or name))
	end
	vim.api.nvim_create_autocmd({ "WinEnter", "BufEnter", "TabEnter", "CmdlineEnter", "ModeChanged" }, { callback = note })
	vim.api.nvim_create_autocmd("BufWritePost", { callback = function(event) table.insert(_G.written, event.match) end })
`

// focusEvents returns the events that moved the focus since its last call.
func (e *editor) focusEvents() []string {
	e.t.Helper()
	return value[[]string](e, "local f = _G.focused; _G.focused = {}; return f")
}

// quit quits Neovim as a user does.
func (e *editor) quit() {
	e.t.Helper()
	e.keys("<C-\\><C-n>:qall!<CR>")
	e.stop()
}

func (e *editor) stop() {
	e.mu.Lock()
	stopped := e.stopped
	e.stopped = true
	e.mu.Unlock()
	if !stopped {
		e.nvim.Close()
	}
}

func (e *editor) must(err error) {
	e.t.Helper()
	if err != nil {
		e.fail("%v", err)
	}
}

// fail fails the test and prints the screen.
func (e *editor) fail(format string, args ...any) {
	e.t.Helper()
	e.t.Fatalf("%s\n\nThe screen:\n%s", fmt.Sprintf(format, args...), e.screen)
}

// within calls do, and fails the test if Neovim does not answer in time.
func (e *editor) within(what string, do func() error) {
	e.t.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		if err != nil {
			e.fail("%s: %v", what, err)
		}
	case <-time.After(patience):
		e.fail("%s: no answer from Neovim", what)
	}
}

// keys types keys in Neovim's notation.
func (e *editor) keys(keys string) {
	e.t.Helper()
	for len(keys) > 0 {
		n := 0
		e.within("type "+keys, func() (err error) { n, err = e.nvim.Input(keys); return })
		keys = keys[n:]
	}
}

// lua runs Lua in Neovim.
func (e *editor) lua(code string, args ...any) {
	e.t.Helper()
	e.within(code, func() error { return e.nvim.ExecLua(code, nil, args...) })
}

// value returns the result of Lua code.
func value[T any](e *editor, code string, args ...any) (v T) {
	e.t.Helper()
	e.within(code, func() error { return e.nvim.ExecLua(code, &v, args...) })
	return v
}

// waitUntil waits for a condition in Lua.
func (e *editor) waitUntil(what, condition string, args ...any) {
	e.t.Helper()
	if problem := e.wait(condition, args...); problem != "" {
		e.fail("waiting until %s (%s): %s", what, condition, problem)
	}
}

// wait waits for a condition in Lua and returns the problem, if any. It does not
// block Neovim, which checks the condition every few milliseconds.
func (e *editor) wait(condition string, args ...any) (problem string) {
	e.t.Helper()
	look := `
		local id, channel, args = select(1, ...), select(2, ...), { select(3, ...) }
		local holds = assert(loadstring("return function(...) return " .. args[1] .. " end"))()
		local timer = vim.uv.new_timer()
		timer:start(0, 5, vim.schedule_wrap(function()
			if timer:is_closing() then return end
			local ok, answer = pcall(holds, unpack(args, 2))
			if ok and not answer then return end
			timer:close()
			vim.rpcnotify(channel, "notified", id, ok and "" or answer)
		end))`
	result := e.listen(func(id int) {
		e.lua(look, append([]any{id, e.nvim.ChannelID(), condition}, args...)...)
	})
	select {
	case problem := <-result:
		return problem
	case <-time.After(patience):
		return "timed out"
	}
}

// listen returns a channel for the notification with the ID that it passes to start.
func (e *editor) listen(start func(id int)) <-chan string {
	result := make(chan string, 1)
	e.mu.Lock()
	e.next++
	id := e.next
	e.waiting[id] = result
	e.mu.Unlock()
	start(id)
	return result
}

func (e *editor) notified(id int, outcome string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting[id] <- outcome
	delete(e.waiting, id)
}

// waitForScreen waits until Neovim has redrawn the screen.
func (e *editor) waitForScreen() {
	e.t.Helper()
	result := e.listen(func(id int) {
		e.lua(`local id, channel = ...; vim.cmd.redraw(); vim.schedule(function() vim.rpcnotify(channel, "notified", id, "") end)`, id, e.nvim.ChannelID())
	})
	select {
	case <-result:
	case <-time.After(patience):
		e.fail("timed out waiting for the screen")
	}
}

// waitFor waits until the screen shows the text.
func (e *editor) waitFor(text string) {
	e.t.Helper()
	limit := time.After(patience)
	for {
		drawn := e.screen.next()
		if strings.Contains(e.screen.String(), text) {
			return
		}
		select {
		case <-drawn:
		case <-limit:
			e.fail("timed out waiting for %q on the screen", text)
		}
	}
}

// buffer returns the text of the buffer whose name ends in name.
func (e *editor) buffer(name string) string {
	e.t.Helper()
	lines := value[[]string](e, `
		for _, b in ipairs(vim.api.nvim_list_bufs()) do
			if vim.endswith(vim.api.nvim_buf_get_name(b), ...) then return vim.api.nvim_buf_get_lines(b, 0, -1, false) end
		end
		return { "no buffer " .. ... }`, name)
	return strings.Join(lines, "\n") + "\n"
}

// waitForBuffer waits until a buffer has the text.
func (e *editor) waitForBuffer(name, text string) {
	e.t.Helper()
	problem := e.wait(`(function(name, text)
		for _, b in ipairs(vim.api.nvim_list_bufs()) do
			if vim.endswith(vim.api.nvim_buf_get_name(b), name) then
				return table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false), "\n") .. "\n" == text
			end
		end
	end)(...)`, name, text)
	if problem != "" {
		e.fail("%s (%s): got\n%s\nwant:\n%s", name, problem, e.buffer(name), text)
	}
}

// checkFocusKept fails if an event moved the focus, except events of the given kinds,
// which the user's typing causes.
func (e *editor) checkFocusKept(but ...string) {
	e.t.Helper()
	for _, f := range e.focusEvents() {
		kind, _, _ := strings.Cut(f, " ")
		if !slices.Contains(but, kind) {
			e.fail("the focus moved: %s", f)
		}
	}
}
