package diff

import (
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// apply puts the new lines of every block in place of its old ones.
func apply(old, new string, l []Block) string {
	var out strings.Builder
	at := 0
	for _, b := range l {
		out.WriteString(old[at:b.Old.A])
		out.WriteString(new[b.New.A:b.New.B])
		at = b.Old.B
	}
	out.WriteString(old[at:])
	return out.String()
}

// texts draws a text from few different lines, so that many are alike, with
// every kind of line end and with or without an end of the last line.
func texts() *rapid.Generator[string] {
	line := rapid.SampledFrom([]string{"", "a", "b", "c", "}", "\tx := 1", "-- x", "++ y", "@@ z", "\\ No newline", "é", " "})
	end := rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", "\r"})
	return rapid.Custom(func(t *rapid.T) string {
		var s strings.Builder
		for range rapid.IntRange(0, 12).Draw(t, "lines") {
			s.WriteString(line.Draw(t, "line") + end.Draw(t, "end"))
		}
		if rapid.Bool().Draw(t, "open end") {
			s.WriteString(line.Draw(t, "last"))
		}
		return s.String()
	})
}

func TestBlocksMakeOldIntoNew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, new := texts().Draw(t, "old"), texts().Draw(t, "new")
		l := Lines(old, new)
		if got := apply(old, new, l); got != new {
			t.Fatalf("the blocks make %q", got)
		}
		if got := apply(old, new, Hunks(old, new)); got != new {
			t.Fatalf("the hunks make %q", got)
		}
		checkBlocks(t, old, new, l)
	})
}

// checkBlocks checks what the documentation says about blocks.
func checkBlocks(t *rapid.T, old, new string, l []Block) {
	x, y := split(old, true), split(new, true)
	if strings.Join(x, "") != old || strings.Join(y, "") != new {
		t.Fatalf("lines %q and %q", x, y)
	}
	at, to := 0, 0
	for i, b := range l {
		if strings.Join(x[b.Old.Line:b.Old.End], "") != old[b.Old.A:b.Old.B] || strings.Join(y[b.New.Line:b.New.End], "") != new[b.New.A:b.New.B] {
			t.Fatalf("lines and bytes of %+v differ", b)
		}
		if i > 0 && b.Old.Line == at {
			t.Fatalf("no equal line before block %d: %+v", i, l)
		}
		if strings.Join(x[at:b.Old.Line], "") != strings.Join(y[to:b.New.Line], "") {
			t.Fatalf("lines before %+v differ", b)
		}
		at, to = b.Old.End, b.New.End
	}
}

func TestLinesFindsWhatIsShared(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		want           []Block
	}{
		{name: "equal texts have no block", old: "a\nb\n", new: "a\nb\n"},
		{
			name: "one line changed", old: "a\nb\nc\n", new: "a\nB\nc\n",
			want: []Block{{Span{1, 2, 2, 4}, Span{1, 2, 2, 4}}},
		},
		{
			name: "text after a last line without an end replaces that line", old: "a\nb", new: "a\nb\nc\n",
			want: []Block{{Span{1, 2, 2, 3}, Span{1, 3, 2, 6}}},
		},
		{
			name: "text added to nothing", old: "", new: "a\n",
			want: []Block{{Span{0, 0, 0, 0}, Span{0, 1, 0, 2}}},
		},
		{
			name: "a line end is part of its line", old: "a\r\nb\r\n", new: "a\r\nb\n",
			want: []Block{{Span{1, 2, 3, 6}, Span{1, 2, 3, 5}}},
		},
		{
			name: "a lone carriage return ends a line", old: "a\rb\rc", new: "a\rB\rc",
			want: []Block{{Span{1, 2, 2, 4}, Span{1, 2, 2, 4}}},
		},
		{
			name: "repeated lines inside a replaced block are kept", old: "1\n}\n2\n}\n3\n", new: "4\n}\n5\n}\n6\n",
			want: []Block{{Span{0, 1, 0, 2}, Span{0, 1, 0, 2}}, {Span{2, 3, 4, 6}, Span{2, 3, 4, 6}}, {Span{4, 5, 8, 10}, Span{4, 5, 8, 10}}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Lines(c.old, c.new); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestFewChangesAmongManyEqualLinesAreFew(t *testing.T) {
	old := strings.Repeat("a\nb\n}\n", 5000)
	new := old[:3000] + "x\n" + old[3000:9000] + old[9002:]
	if got := len(Lines(old, new)); got != 2 {
		t.Errorf("%d blocks, want 2", got)
	}
}

func TestHunksHaveThreeUnchangedLinesBetweenThem(t *testing.T) {
	lines := func(between int, mark string) string {
		return mark + "\n" + strings.Repeat("same\n", between) + mark + "\n"
	}
	for between, want := range []int{1, 1, 1, 2, 2} {
		if got := len(Hunks(lines(between, "old"), lines(between, "new"))); got != want {
			t.Errorf("%d unchanged lines between: %d hunks, want %d", between, got, want)
		}
	}
}

// big makes a text of n lines, some of them alike, and changes part of them.
func big(n int, part float64) (old, new string) {
	r := rand.New(rand.NewPCG(1, 2))
	var x, y strings.Builder
	for i := range n {
		line := "\t}\n"
		if r.IntN(3) > 0 {
			line = "\tline " + strconv.Itoa(i) + strings.Repeat(" x", r.IntN(20)) + "\n"
		}
		x.WriteString(line)
		if r.Float64() < part {
			line = "\tchanged " + strconv.Itoa(i) + strings.Repeat(" y", r.IntN(20)) + "\n"
		}
		y.WriteString(line)
	}
	return x.String(), y.String()
}

func BenchmarkLines(b *testing.B) {
	for _, c := range []struct {
		name string
		part float64
	}{{"one percent changed", .01}, {"half changed", .5}, {"all changed", 1}} {
		old, new := big(10000, c.part)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				Lines(old, new)
			}
		})
	}
}
