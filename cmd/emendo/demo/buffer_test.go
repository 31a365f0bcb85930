package demo

import "testing"

func TestEditsAreMadeWhereTheyAreMeant(t *testing.T) {
	at := func(line, from, toLine, to int) span { return span{position{line, from}, position{toLine, to}} }
	tests := []struct {
		name  string
		edits []textEdit
		want  string
	}{
		{"inside a line", []textEdit{{at(1, 1, 1, 2), "X"}}, "one\ntXo\nthree\n"},
		{"a whole line", []textEdit{{at(1, 0, 2, 0), "2\n"}}, "one\n2\nthree\n"},
		{"an insertion", []textEdit{{at(2, 0, 2, 0), "new\n"}}, "one\ntwo\nnew\nthree\n"},
		{"two at once", []textEdit{{at(0, 0, 1, 0), ""}, {at(2, 0, 3, 0), "3\n"}}, "two\n3\n"},
		{"at the end", []textEdit{{at(3, 0, 3, 0), "four\n"}}, "one\ntwo\nthree\nfour\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := buffer{text: "one\ntwo\nthree\n", version: 1}
			b.apply(tt.edits)
			if b.text != tt.want || b.version != 2 || !b.unsaved {
				t.Errorf("got %q in version %d, want %q", b.text, b.version, tt.want)
			}
		})
	}
	b := buffer{text: "one\ntwo\nthree\n"}
	if got := b.find("two\n"); got != at(1, 0, 2, 0) {
		t.Errorf("found at %v", got)
	}
}
