package picture

import (
	"image"
	"image/color"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A Palette has the colours of a terminal: the default ones, and the 16 that have names.
type Palette struct {
	Colours
	Named [16]int
}

// Dark returns the palette of a dark terminal.
func Dark() Palette {
	return Palette{Colours{0xe0e2ea, 0x14161b}, [16]int{
		0x07080d, 0xffc0b9, 0xb3f6c0, 0xfce094, 0xa6dbff, 0xffcaff, 0x8cf8f7, 0xeef1f8,
		0x4f5258, 0xffc0b9, 0xb3f6c0, 0xfce094, 0xa6dbff, 0xffcaff, 0x8cf8f7, 0xeef1f8,
	}}
}

// Parse returns the screen of a size on which a terminal shows a text: lines in which
// sequences set the style of what follows, as tmux captures them.
func Parse(text string, size image.Point, p Palette) Screen {
	s := Screen{Colours: p.Colours, Cells: make([][]Cell, size.Y), Cursor: image.Pt(-1, -1)}
	parser, pen, state := ansi.NewParser(), Plain(), byte(0)
	lines := strings.Split(text, "\n")
	for y := range s.Cells {
		row := make([]Cell, 0, size.X)
		for rest := line(lines, y); rest != ""; {
			sequence, width, n, next := ansi.DecodeSequenceWc(rest, state, parser)
			switch {
			case width > 0 && len(row)+width <= size.X:
				row = append(row, Cell{sequence, pen})
				for range width - 1 {
					row = append(row, Cell{"", pen})
				}
			case ansi.HasCsiPrefix(sequence) && parser.Command() == 'm':
				p.set(&pen, parser.Params())
			}
			rest, state = rest[n:], next
		}
		for len(row) < size.X {
			row = append(row, Cell{" ", Plain()})
		}
		s.Cells[y] = row
	}
	return s
}

// line returns a line, or "" behind the last one.
func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// set changes a style by the parameters of a sequence (SGR of ECMA-48).
func (p Palette) set(pen *Style, params ansi.Params) {
	if len(params) == 0 {
		*pen = Plain()
	}
	for i := 0; i < len(params); i++ {
		n, more, _ := params.Param(i, 0)
		switch {
		case n == 0:
			*pen = Plain()
		case n == 1:
			pen.Bold = true
		case n == 3:
			pen.Italic = true
		case n == 4:
			kind := 1
			if more {
				i++
				kind, _, _ = params.Param(i, 1)
			}
			pen.Underline, pen.Undercurl = kind != 0 && kind != 3, kind == 3
		case n == 7:
			pen.Reverse = true
		case n == 9:
			pen.Struck = true
		case n == 22:
			pen.Bold = false
		case n == 23:
			pen.Italic = false
		case n == 24:
			pen.Underline, pen.Undercurl = false, false
		case n == 27:
			pen.Reverse = false
		case n == 29:
			pen.Struck = false
		case n >= 30 && n <= 37:
			pen.Foreground = p.Named[n-30]
		case n == 38:
			i += p.read(&pen.Foreground, params[i:])
		case n == 39:
			pen.Foreground = Default
		case n >= 40 && n <= 47:
			pen.Background = p.Named[n-40]
		case n == 48:
			i += p.read(&pen.Background, params[i:])
		case n == 49:
			pen.Background = Default
		case n == 58:
			i += p.read(&pen.Special, params[i:])
		case n == 59:
			pen.Special = Default
		case n >= 90 && n <= 97:
			pen.Foreground = p.Named[n-90+8]
		case n >= 100 && n <= 107:
			pen.Background = p.Named[n-100+8]
		}
	}
}

// read reads a colour of 256 or of all, and returns the number of parameters behind the
// first one that it takes.
func (p Palette) read(into *int, params ansi.Params) int {
	var c color.Color
	n := ansi.ReadStyleColor(params, &c)
	if n == 0 || c == nil {
		return max(n-1, 0)
	}
	if i, ok := c.(ansi.IndexedColor); ok && int(i) < len(p.Named) {
		*into = p.Named[i]
		return n - 1
	}
	r, g, b, _ := c.RGBA()
	*into = int(r>>8<<16 | g>>8<<8 | b>>8)
	return n - 1
}
