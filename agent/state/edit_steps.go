package state

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
)

// steps are the edits of one file by calls, in order: each begins with the text that the
// one before it ends with.
type steps []step

type step struct {
	edit *ledger.Proposed

	call    int          // its index
	changes []diff.Block // from the text before it to the one after it
}

// stepsOf returns the edits of a file that calls make. They are those of the calls
// themselves, and not copies.
func stepsOf(calls []tools.Edits, name string) steps {
	var l steps
	for i := range calls {
		for j := range calls[i].Files {
			f := &calls[i].Files[j]
			if f.Name() != name || f.Op != ledger.Create && f.Op != ledger.Modify || calls[i].Hides(*f) {
				continue
			}
			base := ""
			if f.Base.Text != nil && f.Op == ledger.Modify {
				base = f.Base.Text.String()
			}
			l = append(l, step{f, i, diff.Lines(base, f.New)})
		}
	}
	return l
}

// trace returns the last step that changed the lines of the bytes from a to b of the last
// text, and where these are in the texts of the steps from that one on. It reports false if
// no step changed them, or one only a part of them.
func (l steps) trace(a, b int) (of int, at []int, ok bool) {
	at = make([]int, len(l))
	for i := len(l) - 1; i >= 0; i-- {
		at[i] = a
		shift := 0
		for _, c := range l[i].changes {
			switch {
			case c.New.A < c.New.B && c.New.A <= a && b <= c.New.B:
				return i, at, true
			case a < c.New.B && c.New.A < b, a == b && c.New.A == a && c.New.B == a: // the last is where lines are gone
				return 0, nil, false
			case c.New.B <= a:
				shift = c.Old.B - c.New.B
			}
		}
		a, b = a+shift, b+shift
	}
	return 0, nil, false
}

// ofLine returns the last step that changed a line of the last text, else the last step.
func (l steps) ofLine(n int) int {
	last := len(l) - 1
	text := ide.NewText(l[last].edit.New)
	n = min(n, text.Lines()-1)
	if i, _, ok := l.trace(text.LineStart(n), text.LineStart(n+1)); ok {
		return i
	}
	return last
}

// A tidying is a change of a formatter in lines that one step changed.
type tidying struct {
	of       int    // the step
	at       []int  // where old is in the texts of the steps from that one on, in bytes
	old, new string // whole lines
}

// format takes over from the formatted last text what changes lines that the steps change,
// each in the step that changed them last. Where that is not all, a formatter may have
// moved text from one place to another: then only changes of white space are taken over. It
// returns the calls whose edits it changes.
func (l steps) format(formatted string) (calls []int) {
	last := len(l) - 1
	var taken []tidying
	all := true
	for _, b := range lineByLine(l[last].edit.New, formatted) {
		of, at, ok := l.trace(b.Old.A, b.Old.B)
		if all = all && ok; ok {
			taken = append(taken, tidying{of, at, l[last].edit.New[b.Old.A:b.Old.B], formatted[b.New.A:b.New.B]})
		}
	}
	if !all {
		taken = slices.DeleteFunc(taken, func(t tidying) bool { return solid(t.old) != solid(t.new) })
	}
	texts, spans := make([]string, len(l)), make([][]ledger.Bytes, len(l))
	for i := range l {
		texts[i], spans[i] = l.tidied(i, taken)
		if l[i].edit.Op == ledger.Modify && i == 0 && texts[i] == l[i].edit.Base.Text.String() || i > 0 && texts[i] == texts[i-1] {
			return nil // an edit has to change something
		}
	}
	for i, s := range l {
		if texts[i] == s.edit.New {
			continue
		}
		s.edit.New, s.edit.Formatted = texts[i], spans[i]
		if len(spans[i]) > 0 {
			calls = append(calls, s.call)
		}
		if i < last {
			l[i+1].edit.Base.Text = ide.NewText(texts[i])
		}
	}
	return calls
}

// tidied returns the text of a step with the changes that belong to it and to those before
// it, and where its own are.
func (l steps) tidied(i int, all []tidying) (string, []ledger.Bytes) {
	own := slices.DeleteFunc(slices.Clone(all), func(t tidying) bool { return t.of > i })
	slices.SortFunc(own, func(a, b tidying) int { return cmp.Compare(a.at[i], b.at[i]) })
	var text strings.Builder
	var spans []ledger.Bytes
	from := 0
	for _, t := range own {
		text.WriteString(l[i].edit.New[from:t.at[i]])
		a := text.Len()
		text.WriteString(t.new)
		if t.of == i {
			spans = append(spans, ledger.Bytes{A: a, B: text.Len()})
		}
		from = t.at[i] + len(t.old)
	}
	text.WriteString(l[i].edit.New[from:])
	return text.String(), spans
}

// lineByLine compares two texts. Where as many lines replace others and differ in white
// space alone, each of them is a block of its own.
func lineByLine(old, new string) []diff.Block {
	var l []diff.Block
	for _, b := range diff.Lines(old, new) {
		x, y := strings.SplitAfter(old[b.Old.A:b.Old.B], "\n"), strings.SplitAfter(new[b.New.A:b.New.B], "\n")
		if len(x) < 2 || !slices.EqualFunc(x, y, func(s, t string) bool { return solid(s) == solid(t) }) {
			l = append(l, b)
			continue
		}
		o, n := b.Old.A, b.New.A
		for i := range x {
			if x[i] != y[i] {
				l = append(l, diff.Block{Old: diff.Span{A: o, B: o + len(x[i])}, New: diff.Span{A: n, B: n + len(y[i])}})
			}
			o, n = o+len(x[i]), n+len(y[i])
		}
	}
	return l
}

// solid returns a text without its white space.
func solid(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
