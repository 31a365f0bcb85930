package grammar

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
)

// Passage is a part of a question: a text, or lines of a file that the user comments on, with
// the text below them.
type Passage struct {
	Start, End int // in the question, without the blank lines between passages
	Quotation  *Quotation
}

// Quotation is the lines of a file that a passage is about.
type Quotation struct {
	URI         string
	First, Last int // its lines, from one
	Lines       []string
	Body        int // where the text below them starts in the question
}

// quoted is the first line of a quotation: > [PATH:LINE](URI).
var quoted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^> \[.+:(\d{1,9})(?:-(\d{1,9}))?\]\((.+)\)[ \t]*\n?$`)
})

// Passages returns the parts of a question. A quotation is a block quote of its own, which
// begins with a link to its lines.
func Passages(question string) (l []Passage) {
	at := 0
	add := func(p Passage) {
		end := p.Start + len(strings.TrimRight(question[p.Start:p.End], " \t\n"))
		if trimmed := trimBlank(question[p.Start:end]); trimmed != "" {
			p.Start, p.End = end-len(trimmed), end
			l = append(l, p)
		}
	}
	var next *Quotation
	for node := parseBlocks(question).FirstChild(); node != nil; node = node.NextSibling() {
		start, q := quotationOf(question, node)
		if q == nil {
			continue
		}
		add(Passage{at, start, next})
		at, next = start, q
	}
	add(Passage{at, len(question), next})
	return l
}

// quotationOf returns the quotation that a block of a question begins, and where; nil if it
// begins none.
func quotationOf(question string, block ast.Node) (start int, q *Quotation) {
	quote, ok := block.(*ast.Blockquote)
	if !ok {
		return 0, nil
	}
	first, ok := quote.FirstChild().(*ast.Paragraph)
	if !ok || first.Lines().Len() == 0 {
		return 0, nil
	}
	start = strings.LastIndexByte(question[:first.Lines().At(0).Start], '\n') + 1
	head := line(question, start)
	m := quoted().FindStringSubmatch(head)
	above := question[:max(start-1, 0)]
	if m == nil || start > 0 && strings.TrimSpace(above[strings.LastIndexByte(above, '\n')+1:]) != "" {
		return 0, nil
	}
	q = &Quotation{URI: m[3], Body: start + len(head)}
	q.First, _ = strconv.Atoi(m[1])
	if q.Last = q.First; m[2] != "" {
		q.Last, _ = strconv.Atoi(m[2])
	}
	for q.Body < len(question) && question[q.Body] == '>' {
		l := line(question, q.Body)
		q.Body += len(l)
		q.Lines = append(q.Lines, strings.TrimRight(strings.TrimPrefix(l[1:], " "), " \t\n"))
	}
	if q.First < 1 || q.Last < q.First {
		return 0, nil
	}
	return start, q
}
