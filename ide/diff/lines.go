package diff

import (
	"bytes"
	"strconv"
	"strings"

	anchored "github.com/rogpeppe/go-internal/diff"
	godiff "github.com/sourcegraph/go-diff/diff"
)

// Span is a run of whole lines of a text, in lines and in bytes. It may be
// empty.
type Span struct {
	Line, End int // lines from zero, End not included
	A, B      int // the same in bytes
}

// Block is a difference: the lines Old of the old text became the lines New of the
// new text.
type Block struct {
	Old, New Span
}

// Lines compares two texts. A line includes its end, which is "\n", "\r\n" or a lone
// "\r", so a last line without an end differs from the same line with an end. The
// blocks are in order, with at least one equal line between two of them. Replacing
// the old lines of every block by its new ones turns old into new.
func Lines(old, new string) []Block {
	if old == new {
		return nil
	}
	return Elements(split(old, true), split(new, true))
}

// Elements compares two texts that are split into lines, or other parts.
func Elements(old, new []string) []Block {
	x, y := numbers(old, new)
	head := 0
	for head < len(x) && head < len(y) && x[head] == y[head] {
		head++
	}
	tail := 0
	for tail < len(x)-head && tail < len(y)-head && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	var pairs []change
	for _, c := range anchors(x[head:len(x)-tail], y[head:len(y)-tail]) {
		c.shift(head, head)
		pairs = refine(pairs, x, y, c)
	}
	return blocks(pairs, old, new)
}

// numbers assigns equal numbers to equal lines of both texts.
func numbers(old, new []string) (x, y []int) {
	known := make(map[string]int, len(old))
	count := func(lines []string) []int {
		l := make([]int, len(lines))
		for i, s := range lines {
			n, ok := known[s]
			if !ok {
				n = len(known)
				known[s] = n
			}
			l[i] = n
		}
		return l
	}
	return count(old), count(new)
}

// change says that lines a to b became lines c to d.
type change struct{ a, b, c, d int }

func (c *change) shift(old, new int) {
	c.a, c.b, c.c, c.d = c.a+old, c.b+old, c.c+new, c.d+new
}

// anchors finds the changes between lines that are unique in both texts. The
// library's output is a unified diff, so it compares the numbers of lines as text.
func anchors(x, y []int) []change {
	if len(x) == 0 || len(y) == 0 {
		if len(x)+len(y) == 0 {
			return nil
		}
		return []change{{0, len(x), 0, len(y)}}
	}
	out := anchored.Diff("old", digits(x), "new", digits(y))
	at := bytes.Index(out, []byte("@@"))
	if at < 0 {
		return nil
	}
	hunks, err := godiff.ParseHunksOptions(out[at:], godiff.ParseOptions{KeepCR: true})
	if err != nil {
		panic("diff: the library's own output does not parse: " + err.Error())
	}
	var l []change
	for _, h := range hunks {
		i, j := first(h.OrigStartLine, h.OrigLines), first(h.NewStartLine, h.NewLines)
		c := change{i, i, j, j}
		for body := h.Body; len(body) > 0; {
			kind := body[0]
			body = body[bytes.IndexByte(body, '\n')+1:]
			switch kind {
			case '-':
				c.b++
			case '+':
				c.d++
			default:
				if c.a < c.b || c.c < c.d {
					l = append(l, c)
				}
				c = change{c.b + 1, c.b + 1, c.d + 1, c.d + 1}
			}
		}
		if c.a < c.b || c.c < c.d {
			l = append(l, c)
		}
	}
	return l
}

// first returns the index of a hunk's first line. Headers count from one, but name
// the line before if a side is empty.
func first(start, count int32) int {
	if count == 0 {
		return int(start)
	}
	return int(start) - 1
}

func digits(l []int) []byte {
	b := make([]byte, 0, 8*len(l))
	for _, n := range l {
		b = strconv.AppendInt(b, int64(n), 36)
		b = append(b, '\n')
	}
	return b
}

// blocks adds the byte offsets to changes.
func blocks(l []change, old, new []string) []Block {
	out := make([]Block, len(l))
	x, y := cursor{lines: old}, cursor{lines: new}
	for i, c := range l {
		out[i] = Block{x.span(c.a, c.b), y.span(c.c, c.d)}
	}
	return out
}

// cursor walks over lines and counts bytes.
type cursor struct {
	lines    []string
	line, at int
}

func (c *cursor) offsetOf(line int) int {
	for ; c.line < line; c.line++ {
		c.at += len(c.lines[c.line])
	}
	return c.at
}

func (c *cursor) span(a, b int) Span { return Span{a, b, c.offsetOf(a), c.offsetOf(b)} }

// split splits a text into lines with their ends. With cr a lone "\r" ends a line
// as well. The empty text has no lines.
func split(s string, cr bool) []string {
	cr = cr && strings.Contains(s, "\r")
	lines := make([]string, 0, strings.Count(s, "\n")+1)
	for len(s) > 0 {
		i := strings.IndexByte(s, '\n')
		if cr {
			i = strings.IndexAny(s, "\r\n")
			if i >= 0 && s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n' {
				i++
			}
		}
		if i < 0 {
			i = len(s) - 1
		}
		lines = append(lines, s[:i+1])
		s = s[i+1:]
	}
	return lines
}
