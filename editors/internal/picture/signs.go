package picture

import (
	"image"
	"image/draw"
	"math"

	"golang.org/x/image/vector"
)

// Characters are drawn by hand if the fonts lack them or would leave gaps between
// cells.

// lines are the arms of box drawing characters: left, right, up, down.
var lines = map[rune][4]bool{
	'─': {true, true, false, false}, '━': {true, true, false, false}, '│': {false, false, true, true}, '┃': {false, false, true, true},
	'┌': {false, true, false, true}, '┐': {true, false, false, true}, '└': {false, true, true, false}, '┘': {true, false, true, false},
	'╭': {false, true, false, true}, '╮': {true, false, false, true}, '╰': {false, true, true, false}, '╯': {true, false, true, false},
	'├': {false, true, true, true}, '┤': {true, false, true, true}, '┬': {true, true, false, true}, '┴': {true, true, true, false}, '┼': {true, true, true, true},
}

// blocks are parts of a cell that are filled: from left, from top, in eighths.
var blocks = map[rune]image.Rectangle{
	'▏': image.Rect(0, 0, 1, 8), '▎': image.Rect(0, 0, 2, 8), '▍': image.Rect(0, 0, 3, 8), '▌': image.Rect(0, 0, 4, 8),
	'▋': image.Rect(0, 0, 5, 8), '▊': image.Rect(0, 0, 6, 8), '▉': image.Rect(0, 0, 7, 8), '█': image.Rect(0, 0, 8, 8),
	'▔': image.Rect(0, 0, 8, 1), '▁': image.Rect(0, 7, 8, 8), '▂': image.Rect(0, 6, 8, 8), '▃': image.Rect(0, 5, 8, 8), '▄': image.Rect(0, 4, 8, 8),
	'▅': image.Rect(0, 3, 8, 8), '▆': image.Rect(0, 2, 8, 8), '▇': image.Rect(0, 1, 8, 8), '▀': image.Rect(0, 0, 8, 4),
}

// strokes are signs of straight strokes, on a cell of 15 by 31.
var strokes = map[rune][][]float32{
	'✓': {{2, 17, 6, 22, 13, 10}}, '✔': {{2, 17, 6, 22, 13, 10}},
	'✗': {{3, 11, 12, 22}, {12, 11, 3, 22}}, '✘': {{3, 11, 12, 22}, {12, 11, 3, 22}}, '×': {{4, 12, 11, 20}, {11, 12, 4, 20}},
	'▸': {{4, 11, 11, 16, 4, 21, 4, 11}}, '▾': {{3, 13, 12, 13, 7.5, 20, 3, 13}}, '›': {{5, 11, 10, 16, 5, 21}},
	'◇': {{7.5, 9, 13, 16, 7.5, 23, 2, 16, 7.5, 9}},
	'⊘': {{4, 20, 11, 12}}, '◐': {{7.5, 12, 7.5, 20}}, '⏎': {{12, 10, 12, 18, 3, 18}, {6, 14, 3, 18, 6, 22}},
	'↪': {{3, 10, 3, 18, 12, 18}, {9, 14, 12, 18, 9, 22}},
}

// discs are filled circles, or rings, by their radius.
var discs = map[rune]struct {
	radius float32
	ring   bool
}{
	'●': {4.5, false}, '•': {3, false}, '∙': {2, false}, '○': {4.5, true}, '◌': {4.5, true}, '◐': {4.5, true}, '⊘': {5.5, true},
}

// drawn draws a character if it is one of these, and reports whether it did.
func drawn(img *image.RGBA, box image.Rectangle, r rune, ink image.Image) bool {
	middle := box.Min.Add(image.Pt(cellWidth/2, cellHeight/2))
	fill := func(r image.Rectangle) { draw.Draw(img, r, ink, image.Point{}, draw.Src) }
	if arms, ok := lines[r]; ok {
		for i, arm := range []image.Rectangle{
			image.Rect(box.Min.X, middle.Y-1, middle.X+1, middle.Y+1), image.Rect(middle.X-1, middle.Y-1, box.Max.X, middle.Y+1),
			image.Rect(middle.X-1, box.Min.Y, middle.X+1, middle.Y+1), image.Rect(middle.X-1, middle.Y-1, middle.X+1, box.Max.Y),
		} {
			if arms[i] {
				fill(arm)
			}
		}
		return true
	}
	if b, ok := blocks[r]; ok {
		part := func(n, of int) int { return (n*of + 4) / 8 }
		fill(image.Rect(part(b.Min.X, cellWidth), part(b.Min.Y, cellHeight), part(b.Max.X, cellWidth), part(b.Max.Y, cellHeight)).Add(box.Min))
		return true
	}
	var v vector.Rasterizer
	v.Reset(cellWidth, cellHeight)
	if r >= '⠀' && r <= '⣿' {
		dots(&v, r-'⠀')
		v.Draw(img, image.Rectangle{box.Min, box.Min.Add(image.Pt(cellWidth, cellHeight))}, ink, image.Point{})
		return true
	}
	disc, round := discs[r]
	paths, straight := strokes[r]
	if !round && !straight {
		return false
	}
	if round {
		circle(&v, disc.radius)
	}
	if disc.ring {
		circle(&v, 2-disc.radius)
	}
	for _, p := range paths {
		stroke(&v, p)
	}
	v.Draw(img, image.Rectangle{box.Min, box.Min.Add(image.Pt(cellWidth, cellHeight))}, ink, image.Point{})
	return true
}

// dots adds those of a Braille character, whose bits are its dots: six in two columns,
// then two below them.
func dots(v *vector.Rasterizer, bits rune) {
	for i, at := range [8][2]float32{{4.5, 8}, {4.5, 13.5}, {4.5, 19}, {10.5, 8}, {10.5, 13.5}, {10.5, 19}, {4.5, 24.5}, {10.5, 24.5}} {
		if bits>>i&1 == 1 {
			circleAt(v, at[0], at[1], 1.8)
		}
	}
}

// circle adds a circle around the middle of the cell. With a negative radius it runs in
// the other direction, which cuts it out.
func circle(v *vector.Rasterizer, r float32) { circleAt(v, cellWidth/2.0, 16, r) }

func circleAt(v *vector.Rasterizer, x, y, r float32) {
	const handle = 0.5523
	up := r
	if r < 0 {
		r = -r
	}
	v.MoveTo(x+r, y)
	v.CubeTo(x+r, y+up*handle, x+r*handle, y+up, x, y+up)
	v.CubeTo(x-r*handle, y+up, x-r, y+up*handle, x-r, y)
	v.CubeTo(x-r, y-up*handle, x-r*handle, y-up, x, y-up)
	v.CubeTo(x+r*handle, y-up, x+r, y-up*handle, x+r, y)
	v.ClosePath()
}

// stroke adds a line through the points, two pixels wide.
func stroke(v *vector.Rasterizer, points []float32) {
	for i := 0; i+3 < len(points); i += 2 {
		x1, y1, x2, y2 := points[i], points[i+1], points[i+2], points[i+3]
		dx, dy := x2-x1, y2-y1
		length := float32(math.Hypot(float64(dx), float64(dy)))
		nx, ny := -dy/length*1.2, dx/length*1.2
		v.MoveTo(x1+nx, y1+ny)
		v.LineTo(x2+nx, y2+ny)
		v.LineTo(x2-nx, y2-ny)
		v.LineTo(x1-nx, y1-ny)
		v.ClosePath()
	}
}
