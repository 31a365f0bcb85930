//go:build editors

package e2e

import (
	"fmt"
	"image"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/editors/internal/picture"
)

// screen is the grid that Neovim draws on: cells with text and a highlight.
type screen struct {
	mu      sync.Mutex
	cells   [][]cell
	styles  map[int]picture.Style
	colours picture.Colours
	cursor  struct{ row, column int }
	mode    string
	drawn   chan struct{} // closed when a frame is complete
}

type cell struct {
	text  string // empty: the right half of a wide character
	style int
}

func newScreen() *screen {
	return &screen{styles: map[int]picture.Style{}, drawn: make(chan struct{})}
}

// next returns the channel that is closed when the next frame is complete.
func (s *screen) next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drawn
}

// String returns the text on the screen.
func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, row := range s.cells {
		var line strings.Builder
		for _, c := range row {
			line.WriteString(c.text)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// redraw applies Neovim's updates: each is a name and the arguments of one or more
// events of that name.
func (s *screen) redraw(updates ...[]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range updates {
		for _, event := range u[1:] {
			s.update(u[0].(string), event.([]any))
		}
	}
}

func (s *screen) update(name string, a []any) {
	switch name {
	case "grid_resize":
		s.resize(number(a[1]), number(a[2]))
	case "grid_clear":
		s.resize(len(s.cells[0]), len(s.cells))
	case "grid_line":
		s.line(number(a[1]), number(a[2]), a[3].([]any))
	case "grid_scroll":
		s.scroll(number(a[1]), number(a[2]), number(a[3]), number(a[4]), number(a[5]))
	case "grid_cursor_goto":
		s.cursor.row, s.cursor.column = number(a[1]), number(a[2])
	case "default_colors_set":
		s.colours.Foreground, s.colours.Background = number(a[0]), number(a[1])
	case "hl_attr_define":
		s.styles[number(a[0])] = styleOf(a[1].(map[string]any))
	case "mode_change":
		s.mode = a[0].(string)
	case "flush":
		close(s.drawn)
		s.drawn = make(chan struct{})
	}
}

func (s *screen) resize(width, height int) {
	s.cells = make([][]cell, height)
	for i := range s.cells {
		s.cells[i] = make([]cell, width)
		for j := range s.cells[i] {
			s.cells[i][j].text = " "
		}
	}
}

// line sets cells of a row. Each has its text, its highlight unless it is that of the
// previous cell, and a count.
func (s *screen) line(row, column int, cells []any) {
	hl := 0
	for _, raw := range cells {
		c := raw.([]any)
		if len(c) > 1 {
			hl = number(c[1])
		}
		times := 1
		if len(c) > 2 {
			times = number(c[2])
		}
		for range times {
			s.cells[row][column] = cell{c[0].(string), hl}
			column++
		}
	}
}

// scroll moves a region up by a number of rows; down if by is negative.
func (s *screen) scroll(top, bottom, left, right, by int) {
	if by > 0 {
		for row := top; row < bottom-by; row++ {
			copy(s.cells[row][left:right], s.cells[row+by][left:right])
		}
		return
	}
	for row := bottom - 1; row >= top-by; row-- {
		copy(s.cells[row][left:right], s.cells[row+by][left:right])
	}
}

// picture returns what is on the screen.
func (s *screen) picture() picture.Screen {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := picture.Screen{Colours: s.colours, Cursor: image.Pt(s.cursor.column, s.cursor.row)}
	for _, row := range s.cells {
		cells := make([]picture.Cell, len(row))
		for i, c := range row {
			cells[i] = picture.Cell{Text: c.text, Style: s.style(c)}
		}
		p.Cells = append(p.Cells, cells)
	}
	return p
}

func (s *screen) style(c cell) picture.Style {
	if known, ok := s.styles[c.style]; ok {
		return known
	}
	return picture.Plain()
}

// look returns the style of a cell with default colours filled in.
func (s *screen) look(c cell) picture.Style { return s.colours.Look(s.style(c)) }

func styleOf(m map[string]any) picture.Style {
	colour := func(name string) int {
		if v, ok := m[name]; ok {
			return number(v)
		}
		return picture.Default
	}
	on := func(name string) bool { return m[name] == true }
	return picture.Style{
		Foreground: colour("foreground"), Background: colour("background"), Special: colour("special"),
		Bold: on("bold"), Italic: on("italic"), Reverse: on("reverse"),
		Underline: on("underline"), Undercurl: on("undercurl"), Struck: on("strikethrough"),
	}
}

// number converts an integer as decoded from the wire.
func number(v any) int {
	switch n := v.(type) {
	case int64:
		return int(n)
	case uint64:
		return int(n)
	}
	panic(fmt.Sprintf("unexpected type of number %T", v))
}
