package state

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
)

// editing returns a call for each text after the first, each an edit of one file.
func editing(texts ...string) []tools.Edits {
	var calls []tools.Edits
	for i := 1; i < len(texts); i++ {
		f := ledger.Proposed{Path: "/a", Op: ledger.Modify, Base: ide.File{Text: ide.NewText(texts[i-1])}, New: texts[i]}
		calls = append(calls, tools.Edits{Files: []ledger.Proposed{f}})
	}
	return calls
}

func TestAFormatterChangesOnlyLinesThatAnEditChanges(t *testing.T) {
	type span = struct{ A, B int }
	type after struct {
		New       string
		Formatted []span
	}
	for _, tt := range []struct {
		name      string
		texts     []string // before the calls and after each
		formatted string   // the last one, by the formatter
		want      []after
		calls     []int
	}{
		{"a line of the edit", []string{"a\nb\nc\n", "a\nb \nx\nc\n"}, "a\nb\nx\nc\n", []after{{"a\nb\nx\nc\n", []span{{2, 4}}}}, []int{0}},
		{"a line of the edit among lines that it leaves", []string{"a\nb\nc\n", "a\nx  =1\nc\n"}, "a  \nx = 1\nc  \n", []after{{"a\nx = 1\nc\n", []span{{2, 8}}}}, []int{0}},
		{"only lines that it leaves", []string{"a\nb\nc\n", "a\nx\nc\n"}, "a  \nx\nc  \n", []after{{"a\nx\nc\n", nil}}, nil},
		{"a line more inside the edit", []string{"a\nc\n", "a\nx;y\nc\n"}, "a\nx;\ny\nc\n", []after{{"a\nx;\ny\nc\n", []span{{2, 7}}}}, []int{0}},
		{"an empty line after the edit", []string{"a\nc\n", "a\nx\nc\n"}, "a\nx\n\nc\n", []after{{"a\nx\n\nc\n", []span{{4, 5}}}}, []int{0}},
		{"a line that would move out of the edit", []string{"a\nb\nc\nd\n", "z\na\nb\nc\nd\n"}, "a\nb\nc\nd\nz\n", []after{{"z\na\nb\nc\nd\n", nil}}, nil},
		{"nothing is left of the edit", []string{"a\nb\n", "a\nb  \n"}, "a\nb\n", []after{{"a\nb  \n", nil}}, nil},
		{
			"lines of several calls",
			[]string{"a\nb\nc\n", "x \nb\nc\n", "x \nb\ny \nz \n"},
			"x\nb\ny\nz\n",
			[]after{{"x\nb\nc\n", []span{{0, 2}}}, {"x\nb\ny\nz\n", []span{{4, 6}, {6, 8}}}},
			[]int{0, 1},
		},
		{
			"a line that a later call moves down",
			[]string{"a\nb\n", "a\nx \n", "new\na\nx \n"},
			"new\na\nx\n",
			[]after{{"a\nx\n", []span{{2, 4}}}, {"new\na\nx\n", nil}},
			[]int{0},
		},
		{
			"a line that a later call changes again",
			[]string{"a\nb\n", "a\nx \n", "a\nxy \n"},
			"a\nxy\n",
			[]after{{"a\nx \n", nil}, {"a\nxy\n", []span{{2, 5}}}},
			[]int{1},
		},
		{"line ends of two characters", []string{"a\r\nb\r\n", "a\r\nx \r\n"}, "a\r\nx\r\n", []after{{"a\r\nx\r\n", []span{{3, 6}}}}, []int{0}},
		{"a last line without an end", []string{"a\nb", "a\nx "}, "a\nx", []after{{"a\nx", []span{{2, 3}}}}, []int{0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			calls := editing(tt.texts...)
			if got := stepsOf(calls, "/a").format(tt.formatted); !reflect.DeepEqual(got, tt.calls) {
				t.Errorf("changed the calls %v, want %v", got, tt.calls)
			}
			for i, want := range tt.want {
				f := calls[i].Files[0]
				got := after{New: f.New}
				for _, b := range f.Formatted {
					got.Formatted = append(got.Formatted, span(b))
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("call %d: got %+v, want %+v", i, got, want)
				}
				if i > 0 && f.Base.Text.String() != calls[i-1].Files[0].New {
					t.Errorf("call %d begins with %q, and the one before it ends with %q", i, f.Base.Text, calls[i-1].Files[0].New)
				}
			}
		})
	}
}

// Whatever a formatter does, each call begins with the text of the one before it, and the
// calls together change no line that they did not change without it.
func TestFormattingKeepsTheLinesThatNoEditChanges(t *testing.T) {
	some := rand.New(rand.NewPCG(7, 11))
	line := func() string { return []string{"a", "b ", " c", "d  d", "e;f", ""}[some.IntN(6)] + "\n" }
	formats := []func(string) string{
		func(s string) string { return strings.TrimRight(s, " \n") + "\n" },
		func(s string) string { return strings.ReplaceAll(s, ";", ";\n") },
		func(s string) string { return s + strings.Repeat("\n", some.IntN(2)) },
		func(s string) string { return strings.Repeat(s, some.IntN(3)) },
	}
	changed := 0
	for range 20_000 {
		var text []string
		for range 1 + some.IntN(6) {
			text = append(text, line())
		}
		texts := []string{strings.Join(text, "")}
		for range 1 + some.IntN(3) {
			at := some.IntN(len(text) + 1)
			to := min(len(text), at+some.IntN(3))
			var added []string
			for range some.IntN(3) {
				added = append(added, line())
			}
			text = append(append(append([]string(nil), text[:at]...), added...), text[to:]...)
			if now := strings.Join(text, ""); now != texts[len(texts)-1] {
				texts = append(texts, now)
			}
		}
		var formatted strings.Builder
		format := formats[some.IntN(len(formats))]
		for _, l := range text {
			formatted.WriteString(format(l))
		}
		calls := editing(texts...)
		steps := stepsOf(calls, "/a")
		if len(steps) == 0 {
			continue
		}
		changed += len(steps.format(formatted.String()))
		for i, s := range steps {
			if i > 0 && s.edit.Base.Text.String() != steps[i-1].edit.New {
				t.Fatalf("%q: call %d begins with %q, after %q", texts, i, s.edit.Base.Text, steps[i-1].edit.New)
			}
		}
		for _, k := range untouched(texts) {
			if !strings.Contains(steps[len(steps)-1].edit.New, k) {
				t.Fatalf("%q, formatted as %q, became %q without %q", texts, formatted.String(), steps[len(steps)-1].edit.New, k)
			}
		}
	}
	if changed < 1000 {
		t.Errorf("only %d calls were formatted", changed)
	}
}

// untouched returns the runs of lines of the last text that no step changed.
func untouched(texts []string) []string {
	steps := stepsOf(editing(texts...), "/a")
	last := ide.NewText(texts[len(texts)-1])
	var runs []string
	run := ""
	for n := range last.Lines() {
		if _, _, ok := steps.trace(last.LineStart(n), last.LineStart(n+1)); ok {
			if run != "" {
				runs = append(runs, run)
			}
			run = ""
			continue
		}
		run += last.Line(n)
	}
	return append(runs, run)
}
