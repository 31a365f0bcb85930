//go:build editors

package e2e

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/editors/internal/picture"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

var update = flag.Bool("update", false, "write docs/images")

// The pictures of the page: what is asked for has to be on the screen before one is
// taken.
func TestPictures(t *testing.T) {
	tour := plaintest.NewTour()
	w := plaintest.NewWorld(t, machine.Home, map[string]string{"fee.py": plaintest.Tariff}, tour.Replies...)
	w.Env = append(w.Env, "COLORTERM=truecolor") // Helix's own theme needs all colours
	u := open(w, "fee.py")
	u.Resize(110, 27)
	u.selectLine(tour.Line)
	u.chooseAction("Explain with emendo")
	u.waitForRequests(1)
	u.command("vsplit")
	u.WaitUntil("the window is split", func() bool { return strings.Count(u.Screen(), "def fee(minutes):") == 2 })
	u.chat()
	u.WaitFor(tour.Answer)
	u.ask(tour.Request)
	u.WaitFor("Rounding up", "●")
	u.Press("C-w", "h", "Space", "m", "n")
	u.WaitFor(" 8:1 ")
	u.Press("Space", "m", "n")
	u.snap("helix", tour.Answer, " 11:1 ", "●", tour.Added[1])
	u.Press("Space", "m", "y")
	u.waitForRequests(3)
	u.WaitFor(tour.Added...)
	u.Press("C-w", "l", "C-w", "o")
	u.Resize(110, 21)
	u.ask(tour.Test)
	u.find("Allow")
	u.Press("Space", "a")
	u.snap("helix-command", tour.Command, "Show the question", "Allow once", "Deny")
}

// snap takes a picture of the screen after checking that it shows the texts.
func (u user) snap(name string, texts ...string) {
	u.T.Helper()
	u.WaitFor(texts...)
	file := filepath.Join(machine.Repository, "docs", "images", name+".png")
	palette := picture.Dark()
	palette.Background = 0x3b224c // of Helix's own theme, for the margin
	s, keep := u.Picture(palette), picture.Screen.Check
	if *update {
		keep = picture.Screen.Write
	}
	if err := keep(s, file); err != nil {
		u.T.Error(err)
	}
}
