//go:build editors

package e2e

import (
	_ "embed"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

//go:embed walk.lua
var walkLua string

// steps of the walk.
const steps = 5000

// A move is one kind of step.
type move struct {
	weight  int    // how often it is made
	kind    string // as walk.step has it
	command string // with a number for %d
}

var moves = []move{
	{20, "window", "bdelete"},
	{5, "window", "%bdelete"},
	{15, "window", "only"},
	{15, "window", "edit"},
	{10, "text", "edit!"},
	{25, "window", "split"},
	{20, "window", "vsplit"},
	{12, "window", "tabnew"},
	{12, "window", "tabclose"},
	{20, "window", "close"},
	{10, "window", "hide"},
	{10, "window", "new"},
	{6, "window", "enew"},
	{8, "window", "tabnext"},
	{8, "window", "copen"},
	{8, "window", "cclose"},
	{40, "window", "edit fee.go"},
	{40, "window", "edit notes.txt"},
	{15, "window", "buffer fee.go"},
	{10, "window", "sbuffer notes.txt"},
	{10, "window", "bnext"},
	{10, "window", "bprevious"},
	{6, "window", "mksession! ../session.vim"},
	{6, "window", "source ../session.vim"},
	{30, "window", "wincmd w"},
	{20, "window", "wincmd h"},
	{20, "window", "wincmd l"},
	{10, "window", "wincmd j"},
	{10, "window", "wincmd k"},
	{6, "window", "wincmd T"},
	{6, "window", "wincmd H"},
	{6, "window", "wincmd J"},
	{6, "window", "wincmd x"},
	{6, "window", "wincmd r"},
	{6, "window", "wincmd ="},
	{6, "window", "wincmd o"},
	{6, "window", "wincmd p"},
	{6, "window", "resize %d"},
	{6, "window", "vertical resize %d"},
	{60, "keys", "iword %d <Esc>"},
	{20, "keys", "oline %d<Esc>"},
	{15, "keys", "dd"},
	{25, "keys", "u"},
	{10, "keys", "<C-r>"},
	{10, "keys", "G"},
	{10, "keys", "gg"},
	{10, "keys", "%dj"},
	{8, "keys", "Vjd"},
	{6, "keys", "<Tab>"},
	{6, "keys", "]c"},
	{6, "keys", "[["},
	{6, "keys", "ga"},
	{10, "keys", "i<Up><Esc>"},
	{10, "keys", "i<Down><Esc>"},
	{8, "keys", "<CR>"},
	{8, "keys", "i<C-s><Esc>"},
	{6, "keys", "]e"},
	{50, "emendo", "Emendo"},
	{20, "emendo", "Emendo toggle"},
	{15, "emendo", "Emendo close"},
	{40, "emendo", "Emendo ask Question %d?"},
	{10, "emendo", "Emendo steer More %d."},
	{8, "emendo", "Emendo interrupt Instead %d."},
	{12, "emendo", "Emendo cancel"},
	{12, "emendo", "Emendo send"},
	{10, "emendo", "Emendo queue"},
	{15, "emendo", "Emendo accept"},
	{15, "emendo", "Emendo reject"},
	{15, "emendo", "Emendo next"},
	{10, "emendo", "Emendo prev"},
	{8, "emendo", "Emendo accept_all"},
	{8, "emendo", "Emendo reject_all"},
	{8, "emendo", "Emendo hunks"},
	{8, "emendo", "Emendo diff"},
	{10, "emendo", "Emendo new"},
	{6, "emendo", "Emendo sessions"},
	{6, "emendo", "Emendo resume"},
	{4, "emendo", "Emendo rewind"},
	{6, "emendo", "Emendo fork"},
	{4, "emendo", "Emendo delete"},
	{4, "emendo", "Emendo mode"},
	{4, "emendo", "Emendo rename Title %d"},
	{6, "emendo", "Emendo permission"},
	{4, "emendo", "Emendo detach"},
	{6, "emendo", "Emendo reopen"},
	{6, "emendo", "Emendo status"},
	{6, "emendo", "Emendo edit"},
	{10, "emendo", "Emendo explain"},
	{10, "emendo", "Emendo change Change %d."},
	{4, "emendo", "Emendo folder"},
	{3, "late", "Emendo export"},
	{3, "late", "Emendo log"},
	{1, "emendo", "Emendo restart"},
}

// walker chooses the moves of a walk by its seed.
type walker struct {
	*rand.Rand
	total int
}

func newWalker(seed uint64) *walker {
	r := &walker{Rand: rand.New(rand.NewPCG(seed, seed))}
	for _, m := range moves {
		r.total += m.weight
	}
	return r
}

func (r *walker) next() (kind, command string) {
	n := r.IntN(r.total)
	for _, m := range moves {
		if n -= m.weight; n < 0 {
			return m.kind, strings.ReplaceAll(m.command, "%d", strconv.Itoa(1+r.IntN(30)))
		}
	}
	panic("unreachable")
}

// slowModel answers for as long as the walk lasts: text of many pieces, each held back
// until a step releases it, and now and then an edit of fee.go.
type slowModel struct {
	*geminitest.Server
	added int
	holds []chan struct{}
}

// provide keeps answers ready and releases the next piece of one.
func (m *slowModel) provide() {
	for m.added-len(m.Requests()) < 12 {
		var events []geminitest.Event
		for i := range 12 {
			hold := make(chan struct{})
			m.holds = append(m.holds, hold)
			piece := geminitest.Text(fmt.Sprintf("piece %d of %d,\n", i, m.added))
			piece.Hold = hold
			events = append(events, piece)
		}
		if m.added%3 == 0 {
			events = append(events, replace(hours))
		}
		m.Add(geminitest.Do(events...))
		m.added++
	}
	if len(m.holds) > 0 {
		close(m.holds[0])
		m.holds = m.holds[1:]
	}
}

// A long random walk of editor commands with a turn running finds no error of Lua, no
// lost text, no moved focus, and nothing on disk that it did not write.
func TestARandomWalk(t *testing.T) {
	seed := uint64(1)
	if given := os.Getenv("EMENDO_WALK_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(t, parking)
	w.hectic = true
	w.write("notes.txt", "one\ntwo\nthree\n")
	before := w.files()
	e := w.start("fee.go")
	e.lua(walkLua)
	e.lua(`vim.o.swapfile, vim.o.more, vim.o.hidden = false, false, true`)
	walk, model, begun := newWalker(seed), &slowModel{Server: w.model}, time.Now()
	var done []string
	running := 0
	for i := range steps {
		model.provide()
		kind, command := walk.next()
		done = append(done, command)
		if problems := e.step(kind, command, walk.IntN(6)); len(problems) > 0 {
			e.fail("step %d of the walk with EMENDO_WALK_SEED=%d: %s\nafter:\n%s", i, seed, strings.Join(problems, "\n"), strings.Join(done[max(0, len(done)-40):], "\n"))
		}
		if i%100 == 0 && value[bool](e, `return vim.iter(vim.tbl_values(require("emendo.session").all)):any(function(s) return s.running end)`) {
			running++
		}
	}
	t.Logf("%d steps in %v with %d requests to the model; a turn ran at %d of %d looks", steps, time.Since(begun).Round(time.Millisecond), len(w.model.Requests()), running, steps/100)
	if running < steps/400 {
		t.Errorf("with EMENDO_WALK_SEED=%d turns ran too seldom", seed)
	}
	if written := value[[]string](e, "return _G.written"); len(written) > 0 {
		t.Errorf("with EMENDO_WALK_SEED=%d Neovim wrote %v", seed, written)
	}
	for _, hold := range model.holds {
		close(hold)
	}
	e.keys("<C-\\><C-n>:qall!<CR>")
	e.stop()

	after := w.files()
	for name, text := range after {
		if was, existed := before[name]; name != "fee.go" && (!existed || was != text) {
			t.Errorf("with EMENDO_WALK_SEED=%d %s was written to disk", seed, name)
		}
	}
	w.checkAllDeclared()
}

// step runs a step in Neovim and returns what must not have happened.
func (e *editor) step(kind, command string, choice int) (problems []string) {
	done := make(chan error, 1)
	go func() {
		var err error
		for ready := false; err == nil && !ready; {
			err = e.nvim.ExecLua(`return _G.walk.ready()`, &ready)
		}
		if err == nil {
			err = e.nvim.ExecLua(`return _G.walk.step(...)`, &problems, kind, command, choice)
		}
		done <- err
	}()
	var mode any
	for range patience / time.Second {
		select {
		case err := <-done:
			if err != nil {
				return []string{err.Error()}
			}
			return problems
		case <-time.After(time.Second):
			// After vim.wait(0) in a step, Neovim 0.10 now and then sees a request only when
			// another one arrives. It answers this one even while it waits for a key.
			mode, _ = e.nvim.Mode()
		}
	}
	return []string{fmt.Sprintf("no answer from Neovim, in mode %+v", mode)}
}

// files returns the text of the project's files by name.
func (w *world) files() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(w.dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			var text []byte
			text, err = os.ReadFile(path)
			all[strings.TrimPrefix(path, w.dir+string(filepath.Separator))] = string(text)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}
