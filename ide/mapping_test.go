package ide_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/ide"
)

func TestSpansFollowChanges(t *testing.T) {
	const text = "a\nb\nc\nd\ne\n"
	type result struct {
		at   string // the text at the span after the change
		how  ide.Touch
		wide string // the same of Cover
	}
	for _, c := range []struct {
		name    string
		a, b    int
		splices []ide.Splice
		want    result
	}{
		{"a line inserted before", 4, 6, []ide.Splice{{A: 2, B: 2, Text: "x\n"}}, result{"c\n", ide.Apart, "c\n"}},
		{"lines deleted before and after", 4, 6, []ide.Splice{{A: 0, B: 2}, {A: 8, B: 10}}, result{"c\n", ide.Apart, "c\n"}},
		{"a line inserted directly before", 4, 6, []ide.Splice{{A: 4, B: 4, Text: "x\n"}}, result{"c\n", ide.Beside, "x\nc\n"}},
		{"a line inserted directly after", 4, 6, []ide.Splice{{A: 6, B: 6, Text: "x\n"}}, result{"c\n", ide.Beside, "c\nx\n"}},
		{"part of a line inserted directly before", 4, 6, []ide.Splice{{A: 4, B: 4, Text: "x"}}, result{"xc\n", ide.Inside, "xc\n"}},
		{"the lines around it deleted", 4, 6, []ide.Splice{{A: 2, B: 4}, {A: 6, B: 8}}, result{"c\n", ide.Beside, "c\n"}},
		{"a character replaced", 4, 6, []ide.Splice{{A: 4, B: 5, Text: "cc"}}, result{"cc\n", ide.Inside, "cc\n"}},
		{"it and more replaced", 4, 6, []ide.Splice{{A: 2, B: 8, Text: "x\n"}}, result{"x\n", ide.Inside, "x\n"}},
		{"an insertion at an empty span", 4, 4, []ide.Splice{{A: 4, B: 4, Text: "x\n"}}, result{"x\n", ide.Inside, "x\n"}},
		{"a deletion that ends at an empty span", 4, 4, []ide.Splice{{A: 2, B: 4}}, result{"", ide.Beside, ""}},
	} {
		after := ide.NewText(text).Replace(c.splices)
		m := ide.NewMapping(c.splices...)
		a, b, how := m.Span(c.a, c.b, after)
		x, y, _ := m.Cover(c.a, c.b)
		if got := (result{after.Slice(a, b), how, after.Slice(x, y)}); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// changes draws a text whose characters are all different and splices of it.
func changes(t *rapid.T) (text string, splices []ide.Splice) {
	text = "abcdefghijklmnopqrst"
	cuts := rapid.SliceOfNDistinct(rapid.IntRange(0, len(text)), 2, 8, rapid.ID[int]).Draw(t, "offsets")
	slices.Sort(cuts)
	for i := 0; i+1 < len(cuts); i += 2 {
		s := ide.Splice{A: cuts[i], B: cuts[i+1], Text: rapid.StringOfN(rapid.RuneFrom([]rune("XYZ")), 0, 3, -1).Draw(t, "inserted")}
		if rapid.Bool().Draw(t, "inserts") {
			s.B = s.A
		}
		splices = append(splices, s)
	}
	return text, splices
}

// An offset in text that stays is at the same character afterwards, and what stays of a
// span is the text that no splice replaces.
func TestMappingsKeepWhatStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, splices := changes(t)
		after := ide.NewText(text).Replace(splices).String()
		m := ide.NewMapping(splices...)
		for at, c := range text {
			behind := m.Offset(at, false)
			if i := strings.IndexRune(after, c); i >= 0 && behind != i {
				t.Errorf("%q at %d: got %d in %q", c, at, behind, after)
			}
			if stays := m.Offset(at, true); stays > behind {
				t.Errorf("%d: %d, or %d if it stays", at, stays, behind)
			}
		}
		a := rapid.IntRange(0, len(text)).Draw(t, "a")
		b := rapid.IntRange(a, len(text)).Draw(t, "b")
		var got, want strings.Builder
		for _, p := range m.Rest(a, b) {
			got.WriteString(after[p[0]:p[1]])
		}
		for _, c := range text[a:b] {
			if strings.ContainsRune(after, c) {
				want.WriteRune(c)
			}
		}
		if got.String() != want.String() {
			t.Errorf("%d to %d: got %q, want %q", a, b, got.String(), want.String())
		}
	})
}

// Several splices at once are the same as one after the other, from the last to the first.
func TestMappingsAreTheSameStepByStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, splices := changes(t)
		at, stays := rapid.IntRange(0, 20).Draw(t, "at"), rapid.Bool().Draw(t, "stays")
		want := at
		for _, s := range slices.Backward(splices) {
			want = ide.NewMapping(s).Offset(want, stays)
		}
		if got := ide.NewMapping(splices...).Offset(at, stays); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	})
}

func TestSplicesByLineDoTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\r\n", "c\n", "\n", "d"}), 0, 8)
		old, now := strings.Join(lines.Draw(t, "old"), ""), strings.Join(lines.Draw(t, "new"), "")
		text := ide.NewText(old)
		l := ide.Splice{A: 0, B: len(old), Text: now}.Trim(text).ByLine(text)
		if got := text.Replace(l).String(); got != now {
			t.Errorf("got %q of %v, want %q", got, l, now)
		}
	})
}
