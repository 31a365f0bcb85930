package plaintest

import (
	"fmt"
	"image"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/editors/internal/picture"
)

// Resize changes the size of the terminal.
func (e *Terminal) Resize(width, height int) {
	e.T.Helper()
	e.do("resize-window", "-t", "editor", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height))
}

// Picture returns the screen with its colours, once it has stopped changing.
func (e *Terminal) Picture(p picture.Palette) picture.Screen {
	e.T.Helper()
	var last string
	e.WaitUntil("the screen stops changing", func() bool {
		before := last
		last = e.do("display-message", "-p", "-t", "editor", "#{pane_width} #{pane_height} #{cursor_flag} #{cursor_x} #{cursor_y}", ";",
			"capture-pane", "-e", "-N", "-p", "-t", "editor")
		return last == before
	})
	var size, cursor image.Point
	var shown int
	where, text, _ := strings.Cut(last, "\n")
	if _, err := fmt.Sscan(where, &size.X, &size.Y, &shown, &cursor.X, &cursor.Y); err != nil {
		e.T.Fatalf("tmux describes its pane as %q: %v", where, err)
	}
	s := picture.Parse(text, size, p)
	if shown == 1 {
		s.Cursor = cursor
	}
	return s
}
