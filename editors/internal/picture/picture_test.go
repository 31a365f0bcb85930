package picture

import (
	"image"
	"image/color"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStylesAreRead(t *testing.T) {
	p := Dark()
	styled := func(change func(s *Style)) Style {
		s := Plain()
		change(&s)
		return s
	}
	for _, tt := range []struct {
		name, sequence string
		want           Style
	}{
		{"none", "", Plain()},
		{"attributes", "\x1b[1;3;4;7;9m", styled(func(s *Style) { s.Bold, s.Italic, s.Underline, s.Reverse, s.Struck = true, true, true, true, true })},
		{"attributes that end", "\x1b[1;3;4;7;9m\x1b[22;23;24;27;29m", Plain()},
		{"a reset", "\x1b[1;31m\x1b[m", Plain()},
		{"a reset before others", "\x1b[1;31m\x1b[0;3m", styled(func(s *Style) { s.Italic = true })},
		{"a curl under it", "\x1b[4:3m", styled(func(s *Style) { s.Undercurl = true })},
		{"two lines under it", "\x1b[4:2m", styled(func(s *Style) { s.Underline = true })},
		{"no line under it", "\x1b[4m\x1b[4:0m", Plain()},
		{"named colours", "\x1b[31;42m", styled(func(s *Style) { s.Foreground, s.Background = p.Named[1], p.Named[2] })},
		{"bright colours", "\x1b[91;102m", styled(func(s *Style) { s.Foreground, s.Background = p.Named[9], p.Named[10] })},
		{"named colours of 256", "\x1b[38;5;1;48;5;10m", styled(func(s *Style) { s.Foreground, s.Background = p.Named[1], p.Named[10] })},
		{"colours of 256", "\x1b[38;5;196;48;5;232m", styled(func(s *Style) { s.Foreground, s.Background = 0xff0000, 0x080808 })},
		{"all colours", "\x1b[38;2;1;2;3;48;2;59;34;76m", styled(func(s *Style) { s.Foreground, s.Background = 0x010203, 0x3b224c })},
		{"all colours with colons", "\x1b[38:2::1:2:3m", styled(func(s *Style) { s.Foreground = 0x010203 })},
		{"a colour of the line", "\x1b[4;58:5:196m", styled(func(s *Style) { s.Underline, s.Special = true, 0xff0000 })},
		{"default colours", "\x1b[31;42;58;5;1m\x1b[39;49;59m", Plain()},
		{"a colour that is cut off", "\x1b[38m", Plain()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Parse(tt.sequence+"x", image.Pt(1, 1), p).Cells
			if diff := cmp.Diff([][]Cell{{{"x", tt.want}}}, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestTextsAreRead(t *testing.T) {
	red := Plain()
	red.Foreground = Dark().Named[1]
	for _, tt := range []struct {
		name, text string
		want       [][]Cell
	}{
		{"a style that lasts over the end of a line", "\x1b[31ma\nb\n", [][]Cell{{{"a", red}, {" ", Plain()}}, {{"b", red}, {" ", Plain()}}}},
		{"a wide character", "\x1b[31m木\n", [][]Cell{{{"木", red}, {"", red}}, {{" ", Plain()}, {" ", Plain()}}}},
		{"a link", "\x1b]8;;https://example.com\x1b\\ab\x1b]8;;\x1b\\", [][]Cell{{{"a", Plain()}, {"b", Plain()}}, {{" ", Plain()}, {" ", Plain()}}}},
		{"a line that is too long", "abc\nde", [][]Cell{{{"a", Plain()}, {"b", Plain()}}, {{"d", Plain()}, {"e", Plain()}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Parse(tt.text, image.Pt(2, 2), Dark()).Cells); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestCellsAreDrawn(t *testing.T) {
	s := Parse("\x1b[48;2;1;2;3m \x1b[0;7m█\x1b[m ", image.Pt(3, 1), Dark())
	s.Cursor = image.Pt(2, 0)
	img, err := s.Draw()
	if err != nil {
		t.Fatal(err)
	}
	var got []color.Color
	for column := range 3 {
		got = append(got, img.At(margin+column*cellWidth+1, margin+1))
	}
	ground, ink := rgb(s.Background), rgb(s.Foreground)
	if diff := cmp.Diff([]color.Color{rgb(0x010203), ground, ink}, got); diff != "" {
		t.Errorf("a background, a block in reverse and the cursor: -want +got\n%s", diff)
	}
}

func TestACharacterThatTheFontsLackIsReported(t *testing.T) {
	_, err := Parse("木", image.Pt(2, 1), Dark()).Draw()
	if err == nil || !strings.Contains(err.Error(), "U+6728") {
		t.Errorf("error %v", err)
	}
}

func TestPicturesAreChecked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "images", "a.png")
	s := Parse("a", image.Pt(3, 1), Dark())
	if err := s.Check(file); err == nil || !strings.Contains(err.Error(), "make pictures") {
		t.Errorf("without a file: %v", err)
	}
	if err := s.Write(file); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(file); err != nil {
		t.Error(err)
	}
	if err := Parse("a", image.Pt(4, 1), Dark()).Check(file); err == nil || !strings.Contains(err.Error(), "make pictures") {
		t.Errorf("with another size: %v", err)
	}
}
