//go:build editors

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// longest is how long Neovim may be away from its event loop, in milliseconds.
const longest = 100

// gaps measures with a timer of 10 ms how long Neovim is away, in ms, from now
// until it is called.
func (e *editor) gaps() func() int {
	e.t.Helper()
	e.lua(`
		_G.beat = { timer = vim.uv.new_timer(), last = vim.uv.hrtime(), longest = 0 }
		_G.beat.timer:start(10, 10, function()
			local now = vim.uv.hrtime()
			_G.beat.longest = math.max(_G.beat.longest, now - _G.beat.last)
			_G.beat.last = now
		end)`)
	return func() int {
		e.t.Helper()
		return value[int](e, `_G.beat.timer:close(); return math.floor(_G.beat.longest / 1e6)`)
	}
}

// typist types words at 50 keys a second until it is stopped.
type typist struct {
	keys chan string   // each key after it was typed
	quit chan struct{} // closed to stop
	text string        // what was typed
}

func (e *editor) typist() *typist {
	p := &typist{keys: make(chan string, 1<<16), quit: make(chan struct{})}
	go func() {
		defer close(p.keys)
		const words = "the quick brown fox jumps over the lazy dog "
		keys := time.NewTicker(time.Second / 50)
		defer keys.Stop()
		for i := 0; ; i++ {
			select {
			case <-keys.C:
				key := words[i%len(words) : i%len(words)+1]
				if _, err := e.nvim.Input(key); err != nil {
					return
				}
				p.keys <- key
			case <-p.quit:
				return
			}
		}
	}()
	return p
}

// types waits for so many keys.
func (p *typist) types(keys int) {
	for range keys {
		p.text += <-p.keys
	}
}

// stop gives all that was typed.
func (p *typist) stop() string {
	close(p.quit)
	for key := range p.keys {
		p.text += key
	}
	return p.text
}

// functions is a file of that many functions, before and after each has become
// shorter.
func functions(n int) (before, after string) {
	var old, now strings.Builder
	head := "package parking\n\n// \n\n"
	old.WriteString(head)
	now.WriteString(head)
	for i := range n {
		fmt.Fprintf(&old, "func level%d() int {\n\tx := %d\n\treturn x\n}\n\n", i, i)
		fmt.Fprintf(&now, "func level%d() int {\n\treturn %d\n}\n\n", i, i)
	}
	return old.String(), now.String()
}

func TestNoKeyIsLostWhileHunksAreAccepted(t *testing.T) {
	const hunks = 12
	before, after := functions(hunks)
	var calls []geminitest.Event
	for i := range hunks {
		calls = append(calls, geminitest.Call("replace", fmt.Sprintf(`{"file_path":"levels.go","instruction":"shorten it","old_string":"\tx := %d\n\treturn x\n","new_string":"\treturn %d\n"}`, i, i)))
	}
	w := newWorld(t, map[string]string{"levels.go": before}, geminitest.Do(geminitest.Join(calls...)), geminitest.Say("They are shorter now."))
	e := w.start("levels.go")
	e.lua(`require("emendo").ask({ prompt = "Make them shorter." })`)
	e.pending(hunks)
	e.visits("levels.go")
	e.keys("3GA")
	e.until("the user inserts", `vim.fn.mode() == "i"`)

	away, user := e.gaps(), e.typist()
	for i := range hunks {
		user.types(10)
		e.lua(`require("emendo").accept({ hunk = require("emendo.changes").pending()[1].id })`)
		e.pending(hunks - 1 - i)
	}
	typed := user.stop()
	e.sees("They are shorter now.")
	if gap := away(); gap > longest {
		t.Errorf("Neovim was away for %d ms, more than %d", gap, longest)
	}
	e.wants("levels.go", strings.Replace(after, "// \n", "// "+typed+"\n", 1))
	if w.read("levels.go") != before {
		t.Error("an open file was written on disk")
	}
	w.allDeclared()
	t.Logf("%d keys", len(typed))
}

func TestManyChunksArriveWholeAndInOrder(t *testing.T) {
	const chunks = 20_000
	var texts []string
	for i := range chunks {
		texts = append(texts, fmt.Sprintf("chunk %d of many%s", i, []string{", ", ".\n"}[i%8/7]))
	}
	w := newWorld(t, parking, geminitest.Say(texts...))
	e := w.start("fee.go")
	e.lua(`require("emendo").open()`)
	e.visits("fee.go")
	e.keys("ggO// ")
	e.until("the user inserts", `vim.fn.mode() == "i"`)

	away, user := e.gaps(), e.typist()
	begun := time.Now()
	e.lua(`require("emendo").ask({ prompt = "Count." })`)
	e.until("the last chunk is shown", `(function()
		local b = vim.fn.bufnr("emendo://panel")
		return vim.api.nvim_buf_line_count(b) > 2 and table.concat(vim.api.nvim_buf_get_lines(b, -5, -1, false), "\n"):find("chunk 19999 of many", 1, true)
	end)()`)
	took := time.Since(begun)
	typed := user.stop()
	gap := away()
	t.Logf("%d chunks in %v, Neovim away for %d ms at most, %d keys typed meanwhile", chunks, took.Round(time.Millisecond), gap, len(typed))
	if gap > longest {
		t.Errorf("Neovim was away for %d ms, more than %d", gap, longest)
	}
	if got, want := e.buffer("emendo://panel"), strings.Join(texts, ""); !strings.Contains(got, strings.TrimSuffix(want, "\n")) {
		t.Errorf("the panel does not hold the answer whole and in order: %d bytes of %d", len(got), len(want))
	}
	e.wants("fee.go", "// "+typed+"\n"+parking["fee.go"])
	w.allDeclared()
}
