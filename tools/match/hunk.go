package match

import (
	"errors"
	"fmt"
	"strings"
)

// A Hunk is a change of whole lines, as a patch describes it.
type Hunk struct {
	Old, New string // lines with their ends; both have the lines that stay
	// After are lines of the file that come before the hunk, outer ones first, such as
	// the beginning of a class and of a function.
	After []string
	Line  int  // of the first old line, from one, as the patch says; zero: it does not say
	End   bool // the hunk is at the end of the file
}

// FindHunk finds the old lines of a hunk and merges the change into them. from is where
// the hunk before it ended. Lines and numbers that the hunk gives decide between places
// where its old lines stand, and count for nothing else: models get them wrong. A hunk
// without old lines is at the end of the text. The error is a [*Refusal].
func FindHunk(text string, h Hunk, from int) (Found, error) {
	if !strings.HasSuffix(text, h.Old) { // then no line of it is one without an end
		h.Old, h.New = ended(h.Old), ended(h.New)
	}
	if h.Old == h.New {
		return Found{}, &Refusal{Kind: NoChange, Reason: "its old and new lines are the same"}
	}
	if f, ok := verbatim(text, h); ok {
		return f, nil
	}
	t := newTarget(text)
	t.named = "the patch"
	if h.Old == "" {
		return t.atEnd(h)
	}
	f, err := t.findHunk(h)
	if !isMany(err) {
		return f, err
	}
	for _, w := range t.windows(h, from) {
		part := newTarget(text[w.A:w.B])
		part.named, part.end = t.named, t.end
		if f, err := part.findHunk(h); err == nil {
			for i := range f.Edits {
				f.Edits[i].A += w.A
				f.Edits[i].B += w.A
			}
			return f, nil
		}
	}
	return Found{}, err
}

// ended returns lines of which the last has an end too.
func ended(lines string) string {
	if lines == "" || strings.HasSuffix(lines, "\n") {
		return lines
	}
	return lines + "\n"
}

// verbatim finds the old lines where they stand literally in one place, without reading
// the lines of a long text for each hunk.
func verbatim(text string, h Hunk) (Found, bool) {
	at := strings.Index(text, h.Old)
	if h.Old == "" || at < 0 || strings.Contains(text[at+1:], h.Old) || !isLines(text, at, at+len(h.Old)) || strings.Contains(text, "\r") || strings.Contains(h.New, "\r") {
		return Found{}, false
	}
	return Found{Edits: []Edit{{A: at, B: at + len(h.Old), Text: h.New}}}, true
}

func isMany(err error) bool {
	var r *Refusal
	return errors.As(err, &r) && r.Kind == Many
}

// findHunk finds the one place with the old lines.
func (t *target) findHunk(h Hunk) (Found, error) {
	r := reading{old: h.Old, new: h.New, lines: true}
	if f, err := t.literal(r, false); f.Edits != nil || err != nil {
		return f, err
	}
	if f, err := t.folded(r, false); f.Edits != nil || err != nil {
		return f, err
	}
	if f, err := t.misspelled(h.Old, h.New, false); f.Edits != nil || err != nil {
		return f, err
	}
	if t.text == "" {
		return Found{}, &Refusal{Kind: Missing, Reason: "the file is empty"}
	}
	return Found{}, t.refuseMissing(h.Old, h.New)
}

// atEnd adds the lines of a hunk without old lines. Where it belongs is known only if the
// hunk says nothing else.
func (t *target) atEnd(h Hunk) (Found, error) {
	if len(h.After) > 0 && !h.End {
		return Found{}, &Refusal{Kind: Unclear, Reason: "it has only added lines: add at least one unchanged line before or after them, which shows where they go"}
	}
	if last := len(t.lines); h.Line > 1 && h.Line < last && !h.End {
		return Found{}, &Refusal{Kind: Unclear, Reason: fmt.Sprintf("it has only added lines, and the file has %d lines: add at least one unchanged line before or after them, which shows where they go", last)}
	}
	text := strings.ReplaceAll(withLineFeeds(h.New), "\n", t.end)
	if t.text != "" && !strings.HasSuffix(t.text, "\n") {
		text = t.end + strings.TrimSuffix(text, t.end)
	}
	return Found{Edits: []Edit{{A: len(t.text), B: len(t.text), Text: text}}}, nil
}

// region is the bytes A to B of a text.
type region struct{ A, B int }

// windows returns the parts of the text in which a hunk can be meant that stands in
// several places, the likeliest first.
func (t *target) windows(h Hunk, from int) []region {
	count := strings.Count(strings.TrimSuffix(h.Old, "\n"), "\n") + 1
	var l []region
	if h.End {
		l = append(l, t.linesFrom(len(t.lines)-count, count), t.linesFrom(len(t.lines)-count-1, count+1))
	}
	if at, ok := t.after(h.After, from); ok {
		l = append(l, region{at, len(t.text)})
		part := newTarget(t.text[at:])
		var r *Refusal
		if _, err := part.findHunk(h); errors.As(err, &r) && r.Kind == Many { // the first after the line that it names
			l = append(l, t.linesFrom(t.lineAt(at)+r.Line-1, count))
		}
	}
	if h.Line > 0 {
		l = append(l, t.linesFrom(h.Line-1, count))
	}
	if from > 0 {
		l = append(l, region{from, len(t.text)})
	}
	return l
}

// linesFrom returns the bytes of count lines, from zero, as far as there are such.
func (t *target) linesFrom(no, count int) region {
	first, end := max(no, 0), min(no+count, len(t.lines))
	if first >= end {
		return region{}
	}
	last := t.lines[end-1]
	return region{t.lines[first].at, last.at + len(last.body) + len(last.end)}
}

// lineAt returns the number, from zero, of the line that begins at a byte.
func (t *target) lineAt(at int) int {
	if at >= len(t.text) {
		return len(t.lines)
	}
	return t.lineOf(at)
}

// after returns where the lines after these ones begin. A line is found by its words, or
// else by a part of its text.
func (t *target) after(names []string, from int) (at int, ok bool) {
	at = from
	for _, name := range names {
		key, found := parse(name).key, -1
		for i, l := range t.lines {
			if l.at < at {
				continue
			}
			if parse(l.body).key == key {
				found = i
				break
			}
			if found < 0 && strings.Contains(l.body, strings.TrimSpace(name)) {
				found = i
			}
		}
		if found < 0 {
			return 0, false
		}
		l := t.lines[found]
		at = l.at + len(l.body) + len(l.end)
	}
	return at, len(names) > 0
}
