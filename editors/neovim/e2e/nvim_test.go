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

// patience is how long a test waits for what must come.
const patience = 30 * time.Second

// The size of the screen, in cells.
const (
	columns = 132
	rows    = 40
)

// editor is a running Neovim with a user in front of it.
type editor struct {
	t      *testing.T
	nvim   *nvim.Nvim
	screen *screen

	mu      sync.Mutex
	waiting map[int]chan string // by number: what Neovim tells a test, "" being good news
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
	e.must(n.RegisterHandler("told", e.told))
	e.within("start", func() error {
		return n.AttachUI(columns, rows, map[string]any{"ext_linegrid": true, "rgb": true})
	})
	e.until("Neovim has started", "vim.v.vim_did_enter == 1")
	e.lua(watch)
	return e
}

// watch notes what takes the focus, and what is written.
const watch = `
	_G.focused, _G.written = {}, {}
	local note = function(event)
		table.insert(_G.focused, event.event .. " " .. (event.event == "ModeChanged" and event.match or vim.api.nvim_buf_get_name(event.buf)))
	end
	vim.api.nvim_create_autocmd({ "WinEnter", "BufEnter", "TabEnter", "CmdlineEnter", "ModeChanged" }, { callback = note })
	vim.api.nvim_create_autocmd("BufWritePost", { callback = function(event) table.insert(_G.written, event.match) end })
`

// took gives what has taken the focus since it was last asked.
func (e *editor) took() []string {
	e.t.Helper()
	return value[[]string](e, "local f = _G.focused; _G.focused = {}; return f")
}

// quit ends Neovim as its user does.
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

// fail ends the test with what is on the screen.
func (e *editor) fail(format string, args ...any) {
	e.t.Helper()
	e.t.Fatalf("%s\n\nThe screen:\n%s", fmt.Sprintf(format, args...), e.screen)
}

// within does what Neovim may never answer.
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

// keys types.
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

// value is what Lua returns.
func value[T any](e *editor, code string, args ...any) (v T) {
	e.t.Helper()
	e.within(code, func() error { return e.nvim.ExecLua(code, &v, args...) })
	return v
}

// until waits for a condition in Lua.
func (e *editor) until(what, condition string, args ...any) {
	e.t.Helper()
	if problem := e.waits(condition, args...); problem != "" {
		e.fail("waiting until %s, which is %s: %s", what, condition, problem)
	}
}

// waits waits for a condition in Lua, and says what went wrong. Neovim is not
// kept from anything meanwhile: it looks every few milliseconds, and tells.
func (e *editor) waits(condition string, args ...any) (problem string) {
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
			vim.rpcnotify(channel, "told", id, ok and "" or answer)
		end))`
	told := e.tells(func(id int) {
		e.lua(look, append([]any{id, e.nvim.ChannelID(), condition}, args...)...)
	})
	select {
	case problem := <-told:
		return problem
	case <-time.After(patience):
		return "it did not come"
	}
}

// tells returns the channel on which Neovim notifies under the number.
func (e *editor) tells(under func(id int)) <-chan string {
	told := make(chan string, 1)
	e.mu.Lock()
	e.next++
	id := e.next
	e.waiting[id] = told
	e.mu.Unlock()
	under(id)
	return told
}

func (e *editor) told(id int, news string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting[id] <- news
	delete(e.waiting, id)
}

// drawn waits until the screen shows everything.
func (e *editor) drawn() {
	e.t.Helper()
	told := e.tells(func(id int) {
		e.lua(`local id, channel = ...; vim.cmd.redraw(); vim.schedule(function() vim.rpcnotify(channel, "told", id, "") end)`, id, e.nvim.ChannelID())
	})
	select {
	case <-told:
	case <-time.After(patience):
		e.fail("waited in vain for the screen")
	}
}

// sees waits until the screen shows the text.
func (e *editor) sees(text string) {
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
			e.fail("waited in vain to see %q", text)
		}
	}
}

// buffer returns the text of a buffer by the end of its name.
func (e *editor) buffer(name string) string {
	e.t.Helper()
	lines := value[[]string](e, `
		for _, b in ipairs(vim.api.nvim_list_bufs()) do
			if vim.endswith(vim.api.nvim_buf_get_name(b), ...) then return vim.api.nvim_buf_get_lines(b, 0, -1, false) end
		end
		return { "there is no buffer " .. ... }`, name)
	return strings.Join(lines, "\n") + "\n"
}

// wants holds a buffer against the text that it must have in the end.
func (e *editor) wants(name, text string) {
	e.t.Helper()
	problem := e.waits(`(function(name, text)
		for _, b in ipairs(vim.api.nvim_list_bufs()) do
			if vim.endswith(vim.api.nvim_buf_get_name(b), name) then
				return table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false), "\n") .. "\n" == text
			end
		end
	end)(...)`, name, text)
	if problem != "" {
		e.fail("%s has another text (%s):\n%s\nwant:\n%s", name, problem, e.buffer(name), text)
	}
}

// noFocus fails when anything took the focus; the kinds of events that the
// user's own typing causes are left out.
func (e *editor) noFocus(but ...string) {
	e.t.Helper()
	for _, f := range e.took() {
		kind, _, _ := strings.Cut(f, " ")
		if !slices.Contains(but, kind) {
			e.fail("the focus was taken: %s", f)
		}
	}
}
