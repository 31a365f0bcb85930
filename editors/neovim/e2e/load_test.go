//go:build editors

package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// longest is how long Neovim may be busy without reading keys, in ms.
const longest = 100

// measureStalls starts a timer of 10 ms and returns a function that stops it and returns
// the longest time that Neovim was busy without returning to its event loop, in ms of
// its own CPU time.
func (e *editor) measureStalls() func() int {
	e.t.Helper()
	e.lua(`
		local function worked()
			local use = vim.uv.getrusage()
			return (use.utime.sec + use.stime.sec) * 1000 + (use.utime.usec + use.stime.usec) / 1000
		end
		_G.beat = { timer = vim.uv.new_timer(), last = worked(), longest = 0 }
		_G.beat.timer:start(10, 10, function()
			local now = worked()
			_G.beat.longest = math.max(_G.beat.longest, now - _G.beat.last)
			_G.beat.last = now
		end)`)
	return func() int {
		e.t.Helper()
		return value[int](e, `_G.beat.timer:close(); return math.floor(_G.beat.longest)`)
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

// waitForKeys waits until that many keys were typed.
func (p *typist) waitForKeys(keys int) {
	for range keys {
		p.text += <-p.keys
	}
}

// stop returns everything that was typed.
func (p *typist) stop() string {
	close(p.quit)
	for key := range p.keys {
		p.text += key
	}
	return p.text
}

// functions returns a file of n functions before and after each is shortened.
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
	e.waitForPending(hunks)
	e.goTo("levels.go")
	e.keys("3GA")
	e.waitUntil("the user inserts", `vim.fn.mode() == "i"`)

	worked, user := e.measureStalls(), e.typist()
	for i := range hunks {
		user.waitForKeys(10)
		e.lua(`require("emendo").accept({ hunk = require("emendo.review.changes").pending()[1].id })`)
		e.waitForPending(hunks - 1 - i)
	}
	typed := user.stop()
	e.waitFor("They are shorter now.")
	if ms := worked(); ms > longest {
		t.Errorf("Neovim was busy for %d ms, more than %d", ms, longest)
	}
	e.waitForBuffer("levels.go", strings.Replace(after, "// \n", "// "+typed+"\n", 1))
	if w.read("levels.go") != before {
		t.Error("an open file was written on disk")
	}
	w.checkAllDeclared()
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
	e.goTo("fee.go")
	e.keys("ggO// ")
	e.waitUntil("the user inserts", `vim.fn.mode() == "i"`)

	worked, user := e.measureStalls(), e.typist()
	begun := time.Now()
	e.lua(`require("emendo").ask({ prompt = "Count." })`)
	e.waitUntil("the last chunk is shown", `(function()
		local b = vim.fn.bufnr("emendo://panel")
		return vim.api.nvim_buf_line_count(b) > 2 and table.concat(vim.api.nvim_buf_get_lines(b, -5, -1, false), "\n"):find("chunk 19999 of many", 1, true)
	end)()`)
	took := time.Since(begun)
	typed := user.stop()
	ms := worked()
	t.Logf("%d chunks in %v, Neovim worked for %d ms at a stretch at most, %d keys typed meanwhile", chunks, took.Round(time.Millisecond), ms, len(typed))
	if ms > longest {
		t.Errorf("Neovim was busy for %d ms, more than %d", ms, longest)
	}
	if got, want := e.buffer("emendo://panel"), strings.Join(texts, ""); !strings.Contains(got, strings.TrimSuffix(want, "\n")) {
		t.Errorf("the panel does not have the whole answer in order: %d bytes of %d", len(got), len(want))
	}
	e.waitForBuffer("fee.go", "// "+typed+"\n"+parking["fee.go"])
	w.checkAllDeclared()
}

// Accepting a great many hunks sends each of them once: the bytes are counted,
// the time is printed.
func TestThousandsOfHunksAreAccepted(t *testing.T) {
	const hunks, most = 3000, 5_000_000
	before, after := functions(hunks)
	w := newWorld(t, map[string]string{"levels.go": before}, geminitest.Do(call("write_file", map[string]string{"file_path": "levels.go", "content": after})), geminitest.Say("They are shorter now."))
	e := w.start("levels.go")
	e.lua(`require("emendo").ask({ prompt = "Make them shorter.", open = false })`)
	e.waitForPending(hunks)
	e.waitForScreen()
	length := func() int64 {
		t.Helper()
		tapped, err := os.Stat(w.tapped)
		if err != nil {
			t.Fatal(err)
		}
		return tapped.Size()
	}
	sent, begun := length(), time.Now()
	e.lua(`require("emendo").accept_all()`)
	e.waitUntil("all are accepted", `require("emendo.review.changes").count() == 0`)
	e.waitUntil("the turn is over", idle)
	took := time.Since(begun)
	sent = length() - sent
	t.Logf("%d hunks accepted in %v with %d bytes on the wire", hunks, took.Round(time.Millisecond), sent)
	if sent > most {
		t.Errorf("%d bytes were sent, more than %d", sent, most)
	}
	if got := e.buffer("levels.go"); got != after {
		t.Errorf("the file is %d bytes long, want %d", len(got), len(after))
	}
	e.waitUntil("nothing is drawn any more", `#vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_get_namespaces()["emendo.hunks"], 0, -1, {}) == 0`)
	w.checkAllDeclared()
}
