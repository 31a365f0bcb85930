package rewind

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMerge(t *testing.T) {
	for _, c := range []struct {
		name, base, ours, theirs string
		want                     string // empty: a conflict
	}{
		{name: "nothing was changed", base: "a\nb\n", ours: "a\nb\n", theirs: "a\nb\n", want: "a\nb\n"},
		{name: "lines apart", base: "a\nb\nc\nd\n", ours: "A\nb\nc\nd\n", theirs: "a\nb\nc\nD\n", want: "A\nb\nc\nD\n"},
		{name: "both made the same", base: "a\nb\nc\n", ours: "a\nB\nc\n", theirs: "a\nB\nc\n", want: "a\nB\nc\n"},
		{name: "one line between", base: "a\nb\nc\n", ours: "A\nb\nc\n", theirs: "a\nb\nC\n", want: "A\nb\nC\n"},
		{name: "the same line, in two ways", base: "a\nb\nc\n", ours: "a\nX\nc\n", theirs: "a\nY\nc\n"},
		{name: "lines beside each other", base: "a\nb\n", ours: "A\nb\n", theirs: "a\nB\n"},
		{name: "two insertions at one place", base: "a\nb\n", ours: "a\nX\nb\n", theirs: "a\nY\nb\n"},
		{name: "a line end is kept as it is", base: "a\r\nb\r\nc\r\n", ours: "A\r\nb\r\nc\r\n", theirs: "a\r\nb\r\nC\r\n", want: "A\r\nb\r\nC\r\n"},
		{name: "the last line has no end", base: "a\nb\nc", ours: "A\nb\nc", theirs: "a\nb\nC", want: "A\nb\nC"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := Merge(c.base, c.ours, c.theirs)
			if ok != (c.want != "") || ok && got != c.want {
				t.Errorf("got %q, %t, want %q", got, ok, c.want)
			}
		})
	}
}

// TestMergeKeepsBothSides changes different lines of a text on both sides: each
// change is in the merge, and nothing else.
func TestMergeKeepsBothSides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kept := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "}", ""}), 1, 12).Draw(t, "kept")
		var base, ours, theirs, both strings.Builder
		line := func(s string, to ...*strings.Builder) {
			for _, b := range to {
				b.WriteString(s + "\n")
			}
		}
		for i, k := range kept {
			// A unique line between two changes pins them to their places.
			mark := "= " + strings.Repeat("i", i)
			line(mark, &base, &ours, &theirs, &both)
			line(k, &base, &ours, &theirs, &both)
			line(mark+"'", &base, &ours, &theirs, &both)
			old := rapid.SampledFrom([]string{"x", "y"}).Draw(t, "old") + mark
			switch rapid.IntRange(0, 4).Draw(t, "who") {
			case 0:
				line(old, &base, &theirs)
				line("ours "+mark, &ours, &both)
			case 1:
				line(old, &base, &ours)
				line("theirs "+mark, &theirs, &both)
			case 2: // ours takes it away
				line(old, &base, &theirs)
			case 3: // theirs puts one in
				line("new "+mark, &theirs, &both)
			default:
				line(old, &base, &ours, &theirs, &both)
			}
		}
		line("end", &base, &ours, &theirs, &both)
		got, ok := Merge(base.String(), ours.String(), theirs.String())
		if !ok || got != both.String() {
			t.Fatalf("base %q, ours %q, theirs %q: got %q, %t", base.String(), ours.String(), theirs.String(), got, ok)
		}
		if again, ok := Merge(base.String(), theirs.String(), ours.String()); !ok || again != got {
			t.Fatalf("the other way round: %q, %t", again, ok)
		}
	})
}

func TestMergeWithOneSideUnchanged(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "}\n", "\n", "c\r\n", "d"}), 0, 9).Draw(t, "lines"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		base, other := text.Draw(t, "base"), text.Draw(t, "other")
		for _, sides := range [][2]string{{base, other}, {other, base}, {other, other}} {
			if got, ok := Merge(base, sides[0], sides[1]); !ok || got != other {
				t.Fatalf("base %q, sides %q: got %q, %t", base, sides, got, ok)
			}
		}
	})
}

func TestRevert(t *testing.T) {
	none := Content{}
	has := func(s string) Content { return Content{Exists: true, Text: s} }
	binary := func(s string) Content { return Content{Exists: true, Binary: true, Text: s} }
	for _, c := range []struct {
		name               string
		before, after, now Content
		want               Content
		conflict           string
	}{
		{name: "as it was left", before: has("a\n"), after: has("b\n"), now: has("b\n"), want: has("a\n")},
		{name: "already reverted", before: has("a\n"), after: has("b\n"), now: has("a\n"), want: has("a\n")},
		{name: "a new file", before: none, after: has("b\n"), now: has("b\n"), want: none},
		{name: "a new file that is gone", before: none, after: has("b\n"), now: none, want: none},
		{name: "a new file that the user added to", before: none, after: has("b\nc\n"), now: has("u\nb\nc\n"), conflict: reasonLines, want: has("u\nb\nc\n")},
		{name: "a new file that the user emptied", before: none, after: has("b\n"), now: has(""), conflict: "", want: none},
		{name: "a file that was removed", before: has("a\n"), after: none, now: none, want: has("a\n")},
		{name: "a removed file that was created again", before: has("a\n"), after: none, now: has("u\n"), want: has("u\n"), conflict: reasonMade},
		{name: "a file that the user removed", before: has("a\n"), after: has("b\n"), now: none, want: none, conflict: reasonGone},
		{name: "the user's lines stay", before: has("a\nb\nc\n"), after: has("A\nb\nc\n"), now: has("A\nb\nu\nc\n"), want: has("a\nb\nu\nc\n")},
		{name: "the user's own change of the same line", before: has("a\nb\n"), after: has("A\nb\n"), now: has("u\nb\n"), want: has("u\nb\n"), conflict: reasonLines},
		{name: "binary, as it was left", before: binary("a\x00"), after: binary("b\x00"), now: binary("b\x00"), want: binary("a\x00")},
		{name: "binary, changed again", before: binary("a\x00"), after: binary("b\x00"), now: binary("c\x00"), want: binary("c\x00"), conflict: reasonBinary},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, conflict := revert(c.before, c.after, c.now)
			if got != c.want || conflict != c.conflict {
				t.Errorf("got %+v, %q, want %+v, %q", got, conflict, c.want, c.conflict)
			}
		})
	}
}

func TestReplaced(t *testing.T) {
	text := func(s string) Content { return Content{Exists: true, Text: s} }
	for _, c := range []struct {
		name          string
		before, after Content
		want          bool
	}{
		{name: "nothing happened", before: text("one\n"), after: text("one\n")},
		{name: "a line of three is another", before: text("one\ntwo\nsix\n"), after: text("one\n2\nsix\n")},
		{name: "lines were added", before: text("one\n"), after: text("0\none\ntwo\n")},
		{name: "two lines of three are others", before: text("one\ntwo\nsix\n"), after: text("one\n2\n6\n"), want: true},
		{name: "it is gone", before: text("one\n"), want: true},
		{name: "it was made", after: text("one\n"), want: true},
		{name: "it was emptied", before: text("one\n"), after: text(""), want: true},
		{name: "it is binary", before: text("one\n"), after: Content{Exists: true, Binary: true, Text: "one\n\x00"}, want: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := replaced(c.before, c.after); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
