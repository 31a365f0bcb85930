package picture

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"

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
	known   *sfnt.Font
	faces   map[[2]bool]font.Face
	missing []error // characters that it cannot write
}

func newTypewriter() (*typewriter, error) {
	w := &typewriter{faces: map[[2]bool]font.Face{}}
	for kind, ttf := range map[[2]bool][]byte{
		{false, false}: gomono.TTF, {true, false}: gomonobold.TTF, {false, true}: gomonoitalic.TTF, {true, true}: gomonobolditalic.TTF,
	} {
		f, err := opentype.Parse(ttf)
		if err != nil {
			return nil, err
		}
		if w.faces[kind], err = opentype.NewFace(f, &opentype.FaceOptions{Size: fontSize, DPI: 72, Hinting: font.HintingFull}); err != nil {
			return nil, err
		}
		if kind == [2]bool{} {
			w.known = f
		}
	}
	return w, nil
}

// Draw draws the screen. It fails if a character cannot be drawn.
func (s Screen) Draw() (image.Image, error) {
	if len(s.Cells) == 0 {
		return nil, errors.New("draw a screen: it has no cells")
	}
	w, err := newTypewriter()
	if err != nil {
		return nil, err
	}
	size := image.Rect(0, 0, len(s.Cells[0])*cellWidth+2*margin, len(s.Cells)*cellHeight+2*margin)
	img := image.NewRGBA(size)
	draw.Draw(img, size, image.NewUniform(rgb(s.Background)), image.Point{}, draw.Src)
	for row, cells := range s.Cells {
		for column, c := range cells {
			at := image.Pt(margin+column*cellWidth, margin+row*cellHeight)
			look := s.Look(c.Style)
			if s.Cursor == image.Pt(column, row) {
				look = s.underCursor(look)
			}
			wide := 1
			if column+1 < len(cells) && cells[column+1].Text == "" {
				wide = 2
			}
			box := image.Rectangle{at, at.Add(image.Pt(cellWidth*wide, cellHeight))}
			if c.Text != "" {
				draw.Draw(img, box, image.NewUniform(rgb(look.Background)), image.Point{}, draw.Src)
				w.write(img, box, c.Text, look)
			}
		}
	}
	round(img, margin)
	return img, errors.Join(w.missing...)
}

// write puts the text of one cell into its box.
func (w *typewriter) write(img *image.RGBA, box image.Rectangle, text string, look Style) {
	ink := image.NewUniform(rgb(look.Foreground))
	if look.Underline || look.Undercurl {
		under := image.Rect(box.Min.X, box.Min.Y+baseline+4, box.Max.X, box.Min.Y+baseline+6)
		draw.Draw(img, under, image.NewUniform(rgb(look.Special)), image.Point{}, draw.Src)
	}
	if look.Struck {
		draw.Draw(img, image.Rect(box.Min.X, box.Min.Y+16, box.Max.X, box.Min.Y+18), ink, image.Point{}, draw.Src)
	}
	for _, r := range text {
		if r == ' ' || drawn(img, box, r, ink) {
			continue
		}
		if i, err := w.known.GlyphIndex(nil, r); err != nil || i == 0 {
			w.missing = append(w.missing, fmt.Errorf("the fonts of the pictures have no %q (%U): draw it in signs.go", r, r))
		}
		d := font.Drawer{Dst: img, Src: ink, Face: w.faces[[2]bool{look.Bold, look.Italic}], Dot: fixed.P(box.Min.X, box.Min.Y+baseline)}
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
