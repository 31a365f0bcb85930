package match

import "strings"

// merge applies the change from o to n to the lines that match o, beginning at place
// in solid. A line in both o and n keeps the file's bytes, a changed line keeps
// those of its unchanged words, and a new line is indented relative to the others as
// in the model's text.
func (t *target) merge(place int, o, n passage) (Edit, error) {
	m := merging{t: t, file: t.solid[place : place+len(o.lines)], old: o, new: n, slips: slips{}}
	m.to = pairLines(o, n)
	for i, f := range m.file {
		m.slips.learn(o.lines[i], f.parsed)
	}
	m.indentation = newIndentation(t, m.file, o, n)
	m.indentation.compareCommonLines(m.to, n)
	first, last := t.lines[m.file[0].no], t.lines[m.file[len(m.file)-1].no]
	e := Edit{A: first.at, B: last.at + len(last.body) + len(last.end)}
	if len(n.lines) == 0 {
		return m.remove(e, n.after), nil
	}
	ends := pairReplaced(m.to, len(o.lines))
	end := first.end
	if end == "" {
		end = t.endAt(first.at)
	}
	var b strings.Builder
	for k, l := range n.lines {
		b.WriteString(m.before(k, end))
		indent, err := m.indent(k)
		if err != nil {
			return Edit{}, err
		}
		b.WriteString(indent)
		if i := m.to[k]; i >= 0 {
			b.WriteString(m.slips.changed(m.file[i].parsed, o.lines[i], l))
		} else {
			b.WriteString(m.slips.added(l))
		}
		m.indentation.placed(indent, l)
		if i := ends[k]; i >= 0 && t.lines[m.file[i].no].end != "" {
			end = t.lines[m.file[i].no].end
		}
		if k == len(n.lines)-1 {
			break
		}
		b.WriteString(end)
	}
	after := max(0, n.after-o.after)
	switch {
	case last.end == "" && after == 0:
	case last.end == "":
		b.WriteString(strings.Repeat(end, after))
	default:
		if i := ends[len(ends)-1]; i < 0 || t.lines[m.file[i].no].end == "" {
			end = last.end
		}
		b.WriteString(end + strings.Repeat(end, after))
	}
	e.Text = b.String()
	e.A -= t.blankBefore(m.file[0].no, o.lines[0].blanks-n.lines[0].blanks)
	e.B += t.blankAfter(m.file[len(m.file)-1].no, o.after-n.after)
	return e, nil
}

// merging is the state of one merge.
type merging struct {
	t           *target
	file        []solid // one for each line of old
	old         passage
	new         passage
	to          []int // for each line of new the line of old that it is or was changed from, or -1
	slips       slips
	indentation *indentation
}

// before returns the blank lines before line k of new: the file's own if the model
// did not change them.
func (m *merging) before(k int, end string) string {
	n := m.new.lines[k].blanks
	if k == 0 {
		return strings.Repeat(end, max(0, n-m.old.lines[0].blanks))
	}
	p, q := m.to[k-1], m.to[k]
	switch {
	case p >= 0 && p+1 < len(m.file) && n == m.old.lines[p+1].blanks:
		return m.blanks(p + 1)
	case q > 0 && n == m.old.lines[q].blanks:
		return m.blanks(q)
	case p >= 0 && q == p+1 && n == m.file[q].no-m.file[p].no-1:
		return m.blanks(q)
	}
	return strings.Repeat(end, n)
}

// blanks returns the file's text between line i of the passage and the one before.
func (m *merging) blanks(i int) string {
	from := m.t.lines[m.file[i-1].no]
	return m.t.text[from.at+len(from.body)+len(from.end) : m.t.lines[m.file[i].no].at]
}

// indent returns the indentation of line k of new in the file.
func (m *merging) indent(k int) (string, error) {
	l := m.new.lines[k]
	i, d := m.to[k], m.indentation
	switch {
	case d.newIsAsInFile && i >= 0 && d.missesFile(m.old.lines[i].indent, l.indent, m.file[i].indent):
		return m.file[i].indent, nil
	case d.newIsAsInFile:
		return l.indent, nil
	case i >= 0 && m.old.lines[i].indent == l.indent:
		return m.file[i].indent, nil
	case i >= 0 && d.imprecise:
		by := columns(l.indent) - columns(m.old.lines[i].indent)
		return d.shifted(m.file[i].indent, by/d.modelStep*d.modelStep), nil
	}
	return d.ofNewLine(m, k)
}

// remove deletes the passage. A file without a final line end stays without one.
func (m *merging) remove(e Edit, blanks int) Edit {
	last := m.file[len(m.file)-1].no
	e.A -= m.t.blankBefore(m.file[0].no, m.old.lines[0].blanks-blanks)
	if first := m.file[0].no; m.t.lines[last].end == "" && first > 0 {
		if e.A == m.t.lines[first].at {
			e.A -= len(m.t.lines[first-1].end)
		}
		return e
	}
	e.B += m.t.blankAfter(last, m.old.after)
	return e
}

// blankBefore returns the length of up to n blank lines before line no.
func (t *target) blankBefore(no, n int) int {
	size := 0
	for ; n > 0 && no > 0 && isBlank(t.lines[no-1].body); n, no = n-1, no-1 {
		size += len(t.lines[no-1].body) + len(t.lines[no-1].end)
	}
	return size
}

// blankAfter returns the length of up to n blank lines after line no.
func (t *target) blankAfter(no, n int) int {
	size := 0
	for ; n > 0 && no+1 < len(t.lines) && isBlank(t.lines[no+1].body); n, no = n-1, no+1 {
		size += len(t.lines[no+1].body) + len(t.lines[no+1].end)
	}
	return size
}
