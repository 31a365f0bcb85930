//go:build editors

package e2e

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/editors/internal/picture"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

var update = flag.Bool("update", false, "write docs/images")

// The picture of the page: what is asked for has to be on the screen before it is taken.
func TestPictures(t *testing.T) {
	tour := plaintest.NewTour()
	w := plaintest.NewWorld(t, machine.Home, map[string]string{"fee.py": plaintest.Tariff}, tour.Replies...)
	w.Env = append(w.Env, "TERM=tmux-256color", "COLORTERM=truecolor") // as in tmux, with waves under notes
	u := open(w, "fee.py")
	u.Resize(110, 26)
	u.line(tour.Line)
	u.Press("C-c", "e", "e")
	u.WaitFor("Ask emendo:")
	u.Type(tour.Question)
	u.Press("Enter")
	u.waitForRequests(1)
	u.WaitFor(tour.Answer) // in the echo area
	u.Press("C-x", "3", "C-c", "e", "m")
	u.WaitFor("## emendo", tour.Answer)
	u.ask(tour.Request)
	u.waitForEnd("Rounding up")
	u.Press("C-c", "e", "n")
	u.WaitFor(append(tour.Added, "C-c e y accepts")...)
	u.Press("C-a") // ends the highlight of where it goes
	u.snap("emacs", tour.Answer)
}

// snap takes a picture of the screen after checking that it shows the texts.
func (u user) snap(name string, texts ...string) {
	u.T.Helper()
	u.WaitFor(texts...)
	file := filepath.Join(machine.Repository, "docs", "images", name+".png")
	s, keep := u.Picture(picture.Dark()), picture.Screen.Check
	if *update {
		keep = picture.Screen.Write
	}
	if err := keep(s, file); err != nil {
		u.T.Error(err)
	}
}
