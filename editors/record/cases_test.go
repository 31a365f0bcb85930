//go:build editors

package record

import (
	"slices"
	"strings"
)

// A change replaces the whole lines from first up to, not including, last by
// text. Lines count from 0; the end of the text is wherever they run out.
type change struct {
	first, last int
	text        string
}

// An editCase is a file and the changes that one workspace/applyEdit makes in
// it, in ascending order.
type editCase struct {
	name    string
	text    string
	changes []change
	typed   bool // the user has typed a letter and undone it before
}

// cases are what the recorder has every editor do.
func cases() []editCase {
	const three, one = "one\ntwo\nthree\n", "only\n"
	var l []editCase
	add := func(name, text string, changes ...change) {
		l = append(l, editCase{name: name, text: text, changes: changes})
	}
	// both adds a case on a text with a final line end and on the same text
	// without. There, the last line of the result has no line end either, and a
	// line that is appended replaces the last one, so that it can end that.
	both := func(name, text string, changes ...change) {
		add(name, text, changes...)
		bare := strings.TrimSuffix(text, "\n")
		lines := strings.Count(text, "\n")
		without := make([]change, len(changes))
		for i, c := range changes {
			switch {
			case c.first == lines: // appended
				kept := bare[strings.LastIndex(bare, "\n")+1:]
				c = change{lines - 1, lines, kept + "\n" + strings.TrimSuffix(c.text, "\n")}
			case c.last == lines:
				c.text = strings.TrimSuffix(c.text, "\n")
			}
			without[i] = c
		}
		add(name+", no final line end", bare, without...)
	}
	both("insert before the first line", three, change{0, 0, "new\n"})
	both("insert in the middle", three, change{1, 1, "new\n"})
	both("insert before the last line", three, change{2, 2, "new\n"})
	both("append a line", three, change{3, 3, "new\n"})
	both("append two lines", three, change{3, 3, "new\nnewer\n"})
	both("append a block after an empty line", three, change{3, 3, "\nfunc f() {\n}\n"})
	both("replace the first line", three, change{0, 1, "ONE\n"})
	both("replace the middle line", three, change{1, 2, "TWO\n"})
	both("replace the last line", three, change{2, 3, "THREE\n"})
	both("replace the last line by two", three, change{2, 3, "THREE\nfour\n"})
	both("replace the last two lines by one", three, change{1, 3, "rest\n"})
	both("delete the first line", three, change{0, 1, ""})
	both("delete the middle line", three, change{1, 2, ""})
	both("delete the last line", three, change{2, 3, ""})
	both("delete the last two lines", three, change{1, 3, ""})
	both("delete every line", three, change{0, 3, ""})
	both("replace the whole file", three, change{0, 3, "alpha\nbeta\n"})
	both("replace the whole file by one that shares lines", three, change{0, 3, "one\n2\nthree\nfour\n"})
	both("insert before the only line", one, change{0, 0, "new\n"})
	both("append after the only line", one, change{1, 1, "new\n"})
	both("replace the only line", one, change{0, 1, "ONLY\n"})
	both("delete the only line", one, change{0, 1, ""})
	both("several: first and appended", three, change{0, 1, "ONE\n"}, change{3, 3, "new\n"})
	both("several: first, middle and last line", three, change{0, 1, ""}, change{1, 2, "TWO\nand a half\n"}, change{2, 3, "THREE\n"})
	both("several: insertions everywhere", three, change{0, 0, "a\n"}, change{1, 1, "b\n"}, change{2, 2, "c\n"})
	both("several: deleted first, deleted last", three, change{0, 1, ""}, change{2, 3, ""})
	both("letters of two, three and four bytes", "é\n€\n𝄞x\n", change{0, 1, "éé\n"}, change{2, 3, "y𝄞\n"})
	add("add the final line end", "one\ntwo", change{1, 2, "two\n"})
	add("take the final line end away", "one\ntwo\n", change{1, 2, "two"})
	add("append without a final line end", "one\ntwo\n", change{2, 2, "new"})
	add("fill an empty file", "", change{0, 0, "new\n"})
	add("fill an empty file with two lines", "", change{0, 0, "new\nnewer\n"})
	add("fill an empty file, no final line end", "", change{0, 0, "new"})
	add("replace an empty line", "\n", change{0, 1, "new\n"})
	add("append after an empty line", "\n", change{1, 1, "new\n"})
	add("append after empty lines at the end", "one\n\n\n", change{3, 3, "new\n"})
	add("delete empty lines at the end", "one\n\n\n", change{1, 3, ""})
	for _, c := range l { // the same where lines end in CR and LF
		switch strings.TrimSuffix(c.name, ", no final line end") {
		case "insert before the first line", "append a line", "replace the middle line", "replace the last line", "delete the last line",
			"replace the whole file", "append after the only line", "delete the only line", "several: first, middle and last line":
			crlf := make([]change, len(c.changes))
			for i, x := range c.changes {
				crlf[i] = change{x.first, x.last, strings.ReplaceAll(x.text, "\n", "\r\n")}
			}
			add("CRLF: "+c.name, strings.ReplaceAll(c.text, "\n", "\r\n"), crlf...)
		}
	}
	for _, c := range l { // some editors wait for more only with the first change of a document
		l = append(l, editCase{c.name + ", after typing", c.text, c.changes, true})
	}
	return l
}

// casesFor returns those that an editor can do.
func casesFor(d driver) []editCase {
	return slices.DeleteFunc(cases(), func(c editCase) bool { return c.typed && d.letter == nil })
}

// edits puts the changes as LSP edits of the text that the editor has. An
// editor that keeps line ends apart from the text, as Emacs does, shows LF
// where the file has CRLF, and is given LF.
func (c editCase) edits(text, encoding string) []textEdit {
	l := make([]textEdit, len(c.changes))
	for i, x := range c.changes {
		if !strings.Contains(text, "\r\n") {
			x.text = strings.ReplaceAll(x.text, "\r\n", "\n")
		}
		l[i] = textEdit{span{startOf(text, x.first, encoding), startOf(text, x.last, encoding)}, x.text}
	}
	return l
}
