// Package span moves the spans of texts through changes of them, and finds texts in others as
// whole lines.
package span

import (
	"sort"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/diff"
)

// Touch is the effect of splices on a span.
type Touch int

// The effects.
const (
	Apart  Touch = iota // at most moved
	Beside              // text next to it changed
	Inside              // text inside it changed
)

// Shift moves the span a to b by splices that are ascending and have offsets in the
// text before; after is the text with the splices applied. Whole lines inserted or
// deleted directly before or after the span do not touch it, nor does a change that
// ends or begins there, as long as the span still consists of whole lines. An
// insertion exactly at an empty span counts as inside, because it is unknown on
// which side it belongs.
func Shift(a, b int, splices []ide.Splice, after *ide.Text) (int, int, Touch) {
	return NewCuts(splices).Shift(a, b, after)
}

// Cuts are ascending splices with their offsets.
type Cuts struct {
	splices []ide.Splice
	moved   []int // how far the splices before that index move the text
}

// NewCuts returns splices that are ascending and have offsets in one text.
func NewCuts(splices []ide.Splice) *Cuts {
	c := &Cuts{splices: splices, moved: make([]int, len(splices))}
	sum := 0
	for i, s := range splices {
		c.moved[i] = sum
		sum += len(s.Text) - (s.B - s.A)
	}
	return c
}

// Shift is the function [Shift] for these splices.
func (c *Cuts) Shift(a, b int, after *ide.Text) (int, int, Touch) {
	x, y, how := c.cover(a, b, false)
	if how == Beside && !Aligned(after, x, y) {
		return c.cover(a, b, true)
	}
	return x, y, how
}

// cover computes the shift. With greedy, adjacent splices count as inside.
func (c *Cuts) cover(a, b int, greedy bool) (int, int, Touch) {
	how := Apart
	lo, hi, before, within := a, b, 0, 0
	first := sort.Search(len(c.splices), func(i int) bool { return c.splices[i].B >= a })
	if first == len(c.splices) && first > 0 {
		first--
	}
	if first < len(c.splices) {
		before = c.moved[first]
	}
	for _, s := range c.splices[first:] {
		d := len(s.Text) - (s.B - s.A)
		adjoins := s.B == a || s.A == b
		switch {
		case s.A > b:
			return lo + before, hi + before + within, how
		case s.B < a, s.B == a && !greedy && (s.A < a || b > a):
			before += d
		case s.A == b && !greedy && (s.B > b || b > a):
		default:
			how = Inside
			lo, hi, within = min(lo, s.A), max(hi, s.B), within+d
			continue
		}
		if adjoins {
			how = max(how, Beside)
		}
	}
	return lo + before, hi + before + within, how
}

// Exceeds reports whether a splice that reaches the span also changes text outside
// it.
func (c *Cuts) Exceeds(a, b int) bool {
	for _, s := range c.splices {
		if s.A <= b && a <= s.B && (s.A < a || s.B > b) {
			return true
		}
	}
	return false
}

// Aligned reports whether a to b are whole lines.
func Aligned(t *ide.Text, a, b int) bool {
	return t.AtLineStart(a) && (b == t.Len() || t.AtLineStart(b))
}

// Tight splits a splice that replaces more than it changes, such as that of an
// editor that sends one range for several edits, or the whole text.
func Tight(before *ide.Text, s ide.Splice) []ide.Splice {
	old := before.Slice(s.A, s.B)
	n := prefix(old, s.Text)
	s.A, old, s.Text = s.A+n, old[n:], s.Text[n:]
	n = suffix(old, s.Text)
	s.B, old, s.Text = s.B-n, old[:len(old)-n], s.Text[:len(s.Text)-n]
	s = slid(before, s)
	if !strings.ContainsAny(old, "\r\n") || !strings.ContainsAny(s.Text, "\r\n") {
		return []ide.Splice{s}
	}
	a, b := before.LineStart(before.LineAt(s.A)), before.LineStart(before.LineAt(s.B)+1)
	return Replacing(before.Slice(a, b), before.Slice(a, s.A)+s.Text+before.Slice(s.B, b), a)
}

// slid moves an insertion or deletion to the start of a line if the result is the
// same: inserting "y\nx" after an x is inserting "xy\n" before it.
func slid(before *ide.Text, s ide.Splice) ide.Splice {
	text, moved := before.String(), before.Slice(s.A, s.B)+s.Text
	if s.A < s.B && s.Text != "" || !strings.ContainsAny(moved, "\r\n") {
		return s
	}
	start := before.LineStart(before.LineAt(s.A))
	n := s.A - start
	if n == 0 || n > len(moved) || text[start:s.A] != moved[len(moved)-n:] {
		return s
	}
	moved = text[start:s.A] + moved[:len(moved)-n]
	if s.A == s.B {
		return ide.Splice{A: start, B: start, Text: moved}
	}
	return ide.Splice{A: start, B: s.B - n}
}

// Replacing returns the splices that turn old, which is at offset at, into new.
func Replacing(old, new string, at int) []ide.Splice {
	var l []ide.Splice
	for _, k := range diff.Lines(old, new) {
		l = append(l, ide.Splice{A: at + k.Old.A, B: at + k.Old.B, Text: new[k.New.A:k.New.B]})
	}
	return l
}

func prefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func suffix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// Once returns the only offset at which s is a run of whole lines.
func Once(t *ide.Text, s string) (a int, ok bool) {
	if s == "" {
		return 0, false
	}
	text := t.String()
	for from := 0; from+len(s) <= len(text); {
		i := strings.Index(text[from:], s)
		if i < 0 {
			break
		}
		from += i + 1
		if !Aligned(t, from-1, from-1+len(s)) {
			continue
		}
		if ok {
			return 0, false
		}
		a, ok = from-1, true
	}
	return a, ok
}

// WholeLines extends a span to the lines that it touches.
func WholeLines(t *ide.Text, a, b int) (int, int) {
	a = t.LineStart(t.LineAt(a))
	if !t.AtLineStart(b) {
		b = t.LineStart(t.LineAt(b) + 1)
	}
	return a, b
}

// LineEnd returns the line end of the first of these texts that has one.
func LineEnd(like ...string) string {
	for _, s := range like {
		if strings.Contains(s, "\r\n") {
			return "\r\n"
		}
		if strings.Contains(s, "\n") {
			break
		}
	}
	return "\n"
}
