//go:build editors

package e2e

import (
	"image"
	"image/color"
	"image/draw"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/gomonobolditalic"
	"golang.org/x/image/font/gofont/gomonoitalic"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// Pictures are drawn at twice their display size. Go's mono fonts are 0.6 of their
// size wide, so these sizes make whole pixels.
const (
	fontSize   = 25
	cellWidth  = 15
	cellHeight = 31
	baseline   = 23 // below a cell's top
	margin     = 22 // around the screen
)

// typewriter holds the fonts, by whether they are bold and italic.
type typewriter struct {
	known *sfnt.Font
	faces map[[2]bool]font.Face
}

func newTypewriter(t *testing.T) *typewriter {
	t.Helper()
	w := &typewriter{faces: map[[2]bool]font.Face{}}
	for kind, ttf := range map[[2]bool][]byte{
		{false, false}: gomono.TTF, {true, false}: gomonobold.TTF, {false, true}: gomonoitalic.TTF, {true, true}: gomonobolditalic.TTF,
	} {
		f, err := opentype.Parse(ttf)
		if err != nil {
			t.Fatal(err)
		}
		if w.faces[kind], err = opentype.NewFace(f, &opentype.FaceOptions{Size: fontSize, DPI: 72, Hinting: font.HintingFull}); err != nil {
			t.Fatal(err)
		}
		if kind == [2]bool{} {
			w.known = f
		}
	}
	return w
}

// picture draws the current screen.
func (s *screen) picture(t *testing.T) image.Image {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	w := newTypewriter(t)
	size := image.Rect(0, 0, len(s.cells[0])*cellWidth+2*margin, len(s.cells)*cellHeight+2*margin)
	img := image.NewRGBA(size)
	draw.Draw(img, size, image.NewUniform(rgb(s.colours.background)), image.Point{}, draw.Src)
	for row, cells := range s.cells {
		for column, c := range cells {
			at := image.Pt(margin+column*cellWidth, margin+row*cellHeight)
			look := s.look(c)
			if row == s.cursor.row && column == s.cursor.column {
				look = s.underCursor(look)
			}
			wide := 1
			if column+1 < len(cells) && cells[column+1].text == "" {
				wide = 2
			}
			box := image.Rectangle{at, at.Add(image.Pt(cellWidth*wide, cellHeight))}
			if c.text != "" {
				draw.Draw(img, box, image.NewUniform(rgb(look.background)), image.Point{}, draw.Src)
				w.write(t, img, box, c.text, look)
			}
		}
	}
	round(img, margin)
	return img
}

// look returns the style of a cell with default colours filled in.
func (s *screen) look(c cell) style {
	look := style{foreground: -1, background: -1, special: -1}
	if known, ok := s.styles[c.style]; ok {
		look = known
	}
	if look.foreground < 0 {
		look.foreground = s.colours.foreground
	}
	if look.background < 0 {
		look.background = s.colours.background
	}
	if look.reverse {
		look.foreground, look.background = look.background, look.foreground
	}
	if look.special < 0 {
		look.special = look.foreground
	}
	return look
}

// underCursor returns a style with the block cursor over it.
func (s *screen) underCursor(look style) style {
	look.foreground, look.background = s.colours.background, s.colours.foreground
	return look
}

// write puts the text of one cell into its box.
func (w *typewriter) write(t *testing.T, img *image.RGBA, box image.Rectangle, text string, look style) {
	t.Helper()
	ink := image.NewUniform(rgb(look.foreground))
	if look.underline || look.undercurl {
		under := image.Rect(box.Min.X, box.Min.Y+baseline+4, box.Max.X, box.Min.Y+baseline+6)
		draw.Draw(img, under, image.NewUniform(rgb(look.special)), image.Point{}, draw.Src)
	}
	if look.struck {
		draw.Draw(img, image.Rect(box.Min.X, box.Min.Y+16, box.Max.X, box.Min.Y+18), ink, image.Point{}, draw.Src)
	}
	for _, r := range text {
		if r == ' ' || drawn(img, box, r, ink) {
			continue
		}
		if i, err := w.known.GlyphIndex(nil, r); err != nil || i == 0 {
			t.Errorf("the fonts of the pictures have no %q (%U): draw it in signs_test.go", r, r)
		}
		d := font.Drawer{Dst: img, Src: ink, Face: w.faces[[2]bool{look.bold, look.italic}], Dot: fixed.P(box.Min.X, box.Min.Y+baseline)}
		d.DrawString(string(r))
	}
}

func rgb(c int) color.RGBA {
	return color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 255}
}

// round makes what is outside round corners transparent.
func round(img *image.RGBA, radius float32) {
	size := img.Bounds()
	right, bottom := float32(size.Dx()), float32(size.Dy())
	var v vector.Rasterizer
	v.Reset(size.Dx(), size.Dy())
	v.MoveTo(radius, 0)
	v.LineTo(right-radius, 0)
	v.QuadTo(right, 0, right, radius)
	v.LineTo(right, bottom-radius)
	v.QuadTo(right, bottom, right-radius, bottom)
	v.LineTo(radius, bottom)
	v.QuadTo(0, bottom, 0, bottom-radius)
	v.LineTo(0, radius)
	v.QuadTo(0, 0, radius, 0)
	v.ClosePath()
	whole := image.NewRGBA(size)
	draw.Draw(whole, size, img, image.Point{}, draw.Src)
	draw.Draw(img, size, image.Transparent, image.Point{}, draw.Src)
	v.Draw(img, size, whole, image.Point{})
}
