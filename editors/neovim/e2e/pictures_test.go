//go:build editors

package e2e

import (
	"flag"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

var update = flag.Bool("update", false, "write docs/images anew")

// The pictures of the README and the pages: what is asked for has to be on the
// screen before one is taken.
func TestPictures(t *testing.T) {
	waits := make(chan struct{})
	defer close(waits)
	w := newWorld(t, parking,
		geminitest.Do(
			geminitest.Think("**Following the minutes**\n\n90 / 60 is 1 in Go, so the second hour is free."),
			geminitest.Call("grep_search", `{"pattern":"Fee\\("}`)),
		geminitest.Do(
			geminitest.Text("`minutes / 60` divides integers, which **cuts the hour off that has begun**:\n\n"),
			geminitest.Text("| minutes | hours | you get | you want |\n| --- | --- | --- | --- |\n| 60 | 1 | 2.50 | 2.50 |\n| 90 | 1 | 2.50 | 5.00 |\n\n"),
			geminitest.Text("`TestFee` already says so: it wants 90 minutes to cost two hours. Shall I round up?")),
		geminitest.Do(
			geminitest.Text("Rounding up in `Fee`, and giving the receipt its currency."),
			geminitest.Join(replace(hours), replace([2]string{`"%d min: %d.%02d"`, `"%d min: EUR %d.%02d"`}))))
	w.emendo("trust", "add")
	e := w.start("fee.go")
	e.resize(112, 34)
	e.keys(":set number tabstop=4 shiftwidth=4 laststatus=3 noruler noshowcmd<CR>")
	e.keys("/200<CR>cw250<Esc>gg/^func Fee<CR>V}k\\ea")
	e.prompts("Why do 90 minutes cost 2.50 and not 5.00?")
	e.sees("Shall I round up?")
	e.until("the turn is over", idle)
	e.keys("Fix it")
	e.drawn()
	e.snap("panel", "Why do 90 minutes", "TestFee", "250", "Fix it")

	e.keys("<C-s>")
	e.pending(2)
	e.visits("fee.go")
	e.keys(":Emendo close<CR>")
	e.keys("gg]e")
	e.drawn()
	e.snap("review", "+ 59) / 60", "EUR")
	e.keys(":Emendo accept_all<CR>")
	e.pending(0)
}

// snap takes a picture of the screen, which has to show the texts.
func (e *editor) snap(name string, texts ...string) {
	e.t.Helper()
	for _, text := range texts {
		e.sees(text)
	}
	img := e.screen.picture(e.t)
	file := filepath.Join(repository, "docs", "images", name+".png")
	if *update {
		e.must(os.MkdirAll(filepath.Dir(file), 0o755))
		f, err := os.Create(file)
		e.must(err)
		e.must((&png.Encoder{CompressionLevel: png.BestCompression}).Encode(f, img))
		e.must(f.Close())
		return
	}
	f, err := os.Open(file)
	e.must(err)
	defer f.Close()
	taken, err := png.DecodeConfig(f)
	e.must(err)
	if size := img.Bounds().Size(); taken.Width != size.X || taken.Height != size.Y {
		e.t.Errorf("%s has another size than the screen now: take it anew with make pictures", file)
	}
}

// resize gives the screen another size.
func (e *editor) resize(width, height int) {
	e.t.Helper()
	e.within("resize", func() error { return e.nvim.TryResizeUI(width, height) })
}
