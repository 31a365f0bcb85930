package match

import (
	"slices"
	"strings"
)

// indentation converts the model's indentation to the file's, from how the lines in both
// are indented in each.
type indentation struct {
	t     *target
	pairs [][2]string // indentation of the model and the file, for each line of old
	// firstEvidence is the first pair that counts: a first line may be copied without its
	// indent.
	firstEvidence int
	modelStep     int    // columns of one step of the model
	fileStep      string // one step of the file
	sameStyle     bool   // the model indents as the file does
	flushLeft     bool   // the model's lines have no indentation, even inside brackets
	imprecise     bool   // lines of the model are some columns off: only whole steps count
	// newIsAsInFile: old is garbled, but new is indented as the file is.
	newIsAsInFile bool
	lastIndent    string // of the line that was placed last
	lastLine      parsed // that line
	colonBlock    bool   // a block without brackets was opened since the last common line
}

func newIndentation(t *target, file []solid, o, n passage) *indentation {
	d := &indentation{t: t, pairs: make([][2]string, len(file))}
	for i, f := range file {
		d.pairs[i] = [2]string{o.lines[i].indent, f.indent}
	}
	same := func(p [2]string) bool { return p[0] == p[1] }
	differs := func(p [2]string) bool { return !same(p) }
	if first := d.pairs[0]; first[0] == "" && first[1] != "" {
		rest := d.pairs[1:]
		if len(rest) > 0 && !slices.ContainsFunc(rest, differs) || len(rest) == 0 && startsMidLine(n, first[1]) {
			d.firstEvidence = 1
		}
	}
	d.modelStep = d.modelWidth(o, n)
	d.flushLeft = isFlat(o, n)
	if d.imprecise = d.isRough(); d.imprecise {
		d.modelStep = columns(t.indentStep())
	}
	if d.fileStep = t.indentStep(); !t.stepped { // the model's, then
		d.fileStep = strings.Repeat(" ", d.modelStep)
		if slices.ContainsFunc(slices.Concat(o.lines, n.lines), func(l parsed) bool { return strings.HasPrefix(l.indent, "\t") }) {
			d.fileStep = "\t"
		}
	}
	rest := d.pairs[d.firstEvidence:]
	if !slices.ContainsFunc(rest, differs) {
		evidence := d.firstEvidence > 0 || slices.ContainsFunc(rest, func(p [2]string) bool { return p[0] != "" })
		step := t.indentStep()
		d.sameStyle = evidence || !t.stepped || step != "\t" && d.modelStep%len(step) == 0
	}
	return d
}

// isRough reports whether lines of equal depth in the file are a few columns, less
// than a step, apart in the model's text.
func (d *indentation) isRough() bool {
	step, apart := columns(d.t.indentStep()), false
	first := map[string]string{} // the model's indentation by the file's
	for _, p := range d.pairs[d.firstEvidence:] {
		if abs(columns(p[0])-columns(p[1])) >= step {
			return false
		}
		if o, ok := first[p[1]]; ok && o != p[0] {
			apart = true
		}
		first[p[1]] = p[0]
	}
	return apart
}

// compareCommonLines determines whether the common lines are indented in new as in the file,
// and not as in old. They are not if a new line is less deep than all of the file's
// passage: then the common ones are deeper on purpose.
func (d *indentation) compareCommonLines(to []int, n passage) {
	asOld, asFile := 0, 0
	for k, i := range to {
		switch {
		case i >= 0 && d.pairs[i][0] == d.pairs[i][1]: // no evidence
		case i >= 0 && n.lines[k].indent == d.pairs[i][0]:
			asOld++
		case i >= 0 && n.lines[k].indent == d.pairs[i][1]:
			asFile++
		case i < 0 && !slices.ContainsFunc(d.pairs, func(p [2]string) bool { return strings.HasPrefix(n.lines[k].indent, p[1]) }):
			return
		}
	}
	d.newIsAsInFile = asFile > asOld && (!d.imprecise || asOld == 0)
}

// missesFile reports whether an indentation of new should be the file's and misses it by
// less than a step, as that of old does.
func (d *indentation) missesFile(old, new, file string) bool {
	return (d.imprecise || old != file) && abs(columns(new)-columns(file)) < columns(d.t.indentStep())
}

// isFlat reports whether no line is indented although one is inside brackets.
func isFlat(o, n passage) bool {
	inside := false
	for _, p := range []passage{o, n} {
		for i, l := range p.lines {
			if l.indent != "" {
				return false
			}
			inside = inside || i > 0 && endsIn(p.lines[i-1], "{", "(", "[") && !closes(l)
		}
	}
	return inside
}

// startsMidLine reports whether a passage of one line was copied without its
// indent, and the lines after it with theirs.
func startsMidLine(n passage, indent string) bool {
	if len(n.lines) < 2 || n.lines[0].indent != "" || opens(n.lines[0]) {
		return false
	}
	return !slices.ContainsFunc(n.lines[1:], func(l parsed) bool { return !strings.HasPrefix(l.indent, indent) })
}

// modelWidth returns the columns of one step of the model's indentation: from lines
// that are a step apart in the file, else from the steps between its own lines.
func (d *indentation) modelWidth(o, n passage) int {
	votes := map[int]int{}
	step := d.t.indentStep()
	for i := d.firstEvidence + 1; i < len(d.pairs); i++ {
		a, b := d.pairs[i-1], d.pairs[i]
		if (a[1]+step == b[1] || b[1]+step == a[1]) && a[0] != b[0] {
			votes[abs(columns(a[0])-columns(b[0]))]++
		}
	}
	if len(votes) == 0 {
		for _, p := range []passage{o, n} {
			for i := 1; i < len(p.lines); i++ {
				if w := columns(p.lines[i].indent) - columns(p.lines[i-1].indent); w > 0 {
					votes[w]++
				}
			}
		}
	}
	best := 0
	for w, count := range votes {
		if w > 0 && (best == 0 || count > votes[best] || count == votes[best] && w < best) {
			best = w
		}
	}
	if best == 0 {
		return columns(step)
	}
	return best
}

// ofNewLine returns the indentation of line k of new, which is not in old or is deeper
// or less deep there.
func (d *indentation) ofNewLine(m *merging, k int) (string, error) {
	l := m.new.lines[k]
	if k == 0 && d.firstEvidence > 0 && l.indent == "" {
		return d.pairs[0][1], nil
	}
	if d.sameStyle && d.t.mayIndentSo(l.indent) {
		return l.indent, nil
	}
	known, several := "", false
	base, off := -1, 0
	for i := d.firstEvidence; i < len(d.pairs); i++ {
		p := d.pairs[i]
		w := columns(l.indent) - columns(p[0])
		if p[0] == l.indent {
			several = several || base >= 0 && off == 0 && known != p[1]
			known = p[1]
		}
		if base < 0 || abs(w) < abs(off) {
			base, off = i, w
		}
	}
	switch {
	case base < 0:
		return l.indent, nil
	case off == 0 && (several || d.flushLeft && known != ""):
		return d.byBrackets(m, k)
	case off == 0:
		return d.pairs[base][1], nil
	}
	return d.shifted(d.pairs[base][1], d.wholeSteps(off)), nil
}

// wholeSteps rounds a difference in columns to steps if the rest means nothing.
func (d *indentation) wholeSteps(off int) int {
	if !d.imprecise {
		return off
	}
	half := d.modelStep / 2
	if off < 0 {
		half = -half
	}
	return (off + half) / d.modelStep * d.modelStep
}

// shifted moves an indentation of the file by columns of the model, as far as possible.
func (d *indentation) shifted(indent string, by int) string {
	if columns(indent)*d.modelStep+by*columns(d.fileStep) <= 0 {
		return ""
	}
	steps, rest := by/d.modelStep, by%d.modelStep
	if rest < 0 {
		steps, rest = steps-1, rest+d.modelStep
	}
	for ; steps > 0; steps-- {
		indent += d.fileStep
	}
	for ; steps < 0; steps++ {
		if cut, ok := strings.CutSuffix(indent, d.fileStep); ok {
			indent = cut
		} else {
			indent = indent[:max(0, len(indent)-len(d.fileStep))]
		}
	}
	return indent + strings.Repeat(" ", rest)
}

// byBrackets places a line by its brackets if the model's indentation is lost: one of
// its depths corresponds to several of the file's.
func (d *indentation) byBrackets(m *merging, k int) (string, error) {
	if k == 0 {
		return d.pairs[0][1], nil
	}
	l := m.new.lines[k]
	indent := d.lastIndent
	switch {
	case opens(d.lastLine) && !closes(l):
		indent += d.fileStep
	case !opens(d.lastLine) && closes(l):
		indent = strings.TrimSuffix(indent, d.fileStep)
	}
	if d.colonBlock && !opens(d.lastLine) {
		return "", d.t.refuseDepth(m)
	}
	if k+1 < len(m.to) && m.to[k+1] < 0 {
		return indent, nil
	}
	next := indent
	if opens(l) {
		next += d.fileStep
	}
	if k+1 == len(m.to) {
		if next != indent {
			return "", d.t.refuseDepth(m)
		}
		return indent, nil
	}
	f := m.file[m.to[k+1]]
	if closes(f.parsed) && !opens(l) {
		next = strings.TrimSuffix(next, d.fileStep)
	}
	if next != f.indent {
		return "", d.t.refuseDepth(m)
	}
	return indent, nil
}

// placed records the line that was placed last.
func (d *indentation) placed(indent string, l parsed) {
	d.colonBlock = endsIn(l, ":") || d.colonBlock && indent != ""
	d.lastIndent, d.lastLine = indent, l
}

// indentStep returns one step of the file's indentation: what most lines that are deeper
// than the line before add to it. If there are none, stepped stays false, and any
// indentation could be the file's.
func (t *target) indentStep() string {
	if t.unit != "" {
		return t.unit
	}
	t.index()
	votes := map[string]int{}
	for i := 1; i < len(t.solid); i++ {
		if more, ok := strings.CutPrefix(t.solid[i].indent, t.solid[i-1].indent); ok && more != "" {
			votes[more]++
		}
	}
	t.unit = "    "
	best := 0
	for _, unit := range []string{"\t", "  ", "    ", "   ", "        "} {
		if votes[unit] > best {
			t.unit, best, t.stepped = unit, votes[unit], true
		}
	}
	return t.unit
}

// mayIndentSo reports whether an indentation could be the file's.
func (t *target) mayIndentSo(indent string) bool {
	switch {
	case t.indentStep() == "\t":
		return indent == "" || indent[0] == '\t'
	case !t.stepped:
		return true
	}
	return strings.Trim(indent, " ") == ""
}

// tabColumns is the width of a tab.
const tabColumns = 4

// columns returns the width of an indentation.
func columns(indent string) int {
	w := 0
	for _, r := range indent {
		switch r {
		case '\t':
			w += tabColumns
		case '\u200b', '\u2060', '\ufeff':
		default:
			w++
		}
	}
	return w
}

func opens(l parsed) bool { return endsIn(l, "{", "(", "[", ":", "then", "do", "else") }

func closes(l parsed) bool {
	return len(l.tokens) > 0 && slices.Contains([]string{"}", ")", "]", "end", "fi", "done", "esac"}, l.tokens[0].key)
}

func endsIn(l parsed, keys ...string) bool {
	return len(l.tokens) > 0 && slices.Contains(keys, l.tokens[len(l.tokens)-1].key)
}

func abs(n int) int { return max(n, -n) }
