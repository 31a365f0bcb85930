package view

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/diff"
)

// mostCompared is the size in bytes of lines above which their words are not compared.
const mostCompared = 16_000

// mostOfLine is the share of a line in percent above which it counts as another line: marks
// everywhere would mean nothing.
const mostOfLine = 70

// token is a word, a run of blanks, another character, or the end of a line (empty).
type token struct {
	line     int
	from, to int // bytes in the line
	blank    bool
}

var tokenForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\p{L}\p{N}_]+|[ \t]+|.`) })

// tokens returns the words, blanks and other characters of lines, and their texts.
func tokensOf(lines []string) (l []token, texts []string) {
	for n, line := range lines {
		for _, at := range tokenForm().FindAllStringIndex(line, -1) {
			text := line[at[0]:at[1]]
			l = append(l, token{n, at[0], at[1], strings.Trim(text, " \t") == ""})
			texts = append(texts, text)
		}
		l, texts = append(l, token{line: n, from: len(line), to: len(line)}), append(texts, "\n")
	}
	return l, texts
}

// words returns the spans in old lines that new ones do not have, and in new ones that the
// old ones do not have, by line, in units of an encoding. There are none of lines that have
// too little in common.
func words(old, new []string, enc ide.Encoding) (gone, come [][][2]int) {
	if len(old) == 0 || len(new) == 0 || len(strings.Join(old, "\n"))+len(strings.Join(new, "\n")) > mostCompared {
		return nil, nil
	}
	a, left := tokensOf(old)
	b, right := tokensOf(new)
	lost, added := make([]bool, len(a)), make([]bool, len(b))
	for _, k := range diff.Elements(left, right) {
		for i := k.Old.Line; i < k.Old.End; i++ {
			lost[i] = true
		}
		for i := k.New.Line; i < k.New.End; i++ {
			added[i] = true
		}
	}
	return spansOf(a, lost, old, enc), spansOf(b, added, new, enc)
}

// spansOf returns where tokens have changed, by line. Spans that touch, or have only blanks
// between them, are one.
func spansOf(l []token, changed []bool, lines []string, enc ide.Encoding) [][][2]int {
	spans, sizes := make([][][2]int, len(lines)), make([]int, len(lines))
	for i, t := range l {
		between := t.blank && i > 0 && i < len(l)-1 && changed[i-1] && changed[i+1]
		if t.from == t.to || !changed[i] && !between {
			continue
		}
		of := spans[t.line]
		if n := len(of); n > 0 && of[n-1][1] == t.from {
			of[n-1][1] = t.to
		} else {
			of = append(of, [2]int{t.from, t.to})
		}
		spans[t.line], sizes[t.line] = of, sizes[t.line]+t.to-t.from
	}
	for n, line := range lines {
		if sizes[n]*100 > len(strings.TrimSpace(line))*mostOfLine {
			spans[n] = nil
		}
		for i, s := range spans[n] {
			spans[n][i] = [2]int{length(line[:s[0]], enc), length(line[:s[1]], enc)}
		}
	}
	return spans
}

// withWords returns rows with the words that have changed: lines that are removed are compared
// with those that are added in their place.
func withWords(rows []Row, enc ide.Encoding) []Row {
	for at := 0; at < len(rows); {
		gone := marked(rows[at:], "-")
		come := marked(rows[at+len(gone):], "+")
		old, new := words(textsOf(gone), textsOf(come), enc)
		for i := range old {
			gone[i].Words = old[i]
		}
		for i := range new {
			come[i].Words = new[i]
		}
		at += max(1, len(gone)+len(come))
	}
	return rows
}

// marked returns the rows at the beginning that have a mark.
func marked(rows []Row, mark string) []Row {
	n := slices.IndexFunc(rows, func(r Row) bool { return r.Mark != mark })
	if n < 0 {
		return rows
	}
	return rows[:n]
}

func textsOf(rows []Row) []string {
	l := make([]string, len(rows))
	for i, r := range rows {
		l[i] = r.Text
	}
	return l
}

// hunkRows returns the rows of a hunk: all its lines, with the words that have changed.
func hunkRows(before, after string, enc ide.Encoding) (rows []Row) {
	x, y := linesOf(before), linesOf(after)
	at := 0
	add := func(mark string, lines []string) {
		for _, s := range lines {
			rows = append(rows, Row{Mark: mark, Text: s})
		}
	}
	for _, b := range diff.Lines(before, after) {
		add("=", x[at:b.Old.Line])
		add("-", x[b.Old.Line:b.Old.End])
		add("+", y[b.New.Line:b.New.End])
		at = b.Old.End
	}
	add("=", x[at:])
	return withWords(rows, enc)
}
