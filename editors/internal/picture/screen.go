package picture

import "image"

// A Screen is a grid of cells.
type Screen struct {
	Colours
	Cells  [][]Cell
	Cursor image.Point // the column and row of a block cursor; outside the grid if it is hidden
}

// A Cell is one place of a grid.
type Cell struct {
	Text  string // empty: the right half of a wide character
	Style Style
}

// A Style is the look of a cell. Colours are RGB or Default.
type Style struct {
	Foreground, Background, Special                     int
	Bold, Italic, Reverse, Underline, Undercurl, Struck bool
}

// Default is the colour of cells that have no other.
const Default = -1

// Plain returns the style of a cell that has neither colours nor attributes.
func Plain() Style { return Style{Foreground: Default, Background: Default, Special: Default} }

// Colours are the default colours of a screen, as RGB.
type Colours struct{ Foreground, Background int }

// Look returns a style with the default colours filled in and Reverse applied.
func (c Colours) Look(look Style) Style {
	if look.Foreground < 0 {
		look.Foreground = c.Foreground
	}
	if look.Background < 0 {
		look.Background = c.Background
	}
	if look.Reverse {
		look.Foreground, look.Background = look.Background, look.Foreground
	}
	if look.Special < 0 {
		look.Special = look.Foreground
	}
	return look
}

// underCursor returns a style with the block cursor over it.
func (c Colours) underCursor(look Style) Style {
	look.Foreground, look.Background = c.Background, c.Foreground
	return look
}
