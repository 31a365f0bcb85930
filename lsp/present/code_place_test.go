package present

import (
	"strings"
	"testing"
)

func TestCodeIsPlacedWhereItIsANewVersion(t *testing.T) {
	const file = "package main\n\nfunc one() {\n\tprint(1)\n}\n\ntype t struct{}\n\n\tfunc (t) two() {\n\t\tprint(2)\n\t}\n"
	const python = "def one():\n    x = 1\n\n    return x\n\n\ndef two():\n    pass\n"
	whole := strings.ReplaceAll(file, "print(1)", "print(3)")
	for _, c := range []struct {
		name, file, block string
		want              codePlace
	}{
		{"a function takes the place of the old one", file, "func one() {\n\tprint(\"one\")\n}", codePlace{2, 5, "func one() {\n\tprint(\"one\")\n}\n", true}},
		{"one that is indented less gets the indent of the file", file, "\nfunc (t) two() {\n\n\tprint(\"two\")\n}\n", codePlace{8, 11, "\tfunc (t) two() {\n\n\t\tprint(\"two\")\n\t}\n", true}},
		{"one that is found nowhere goes before the cursor", file, "func three() {}", codePlace{6, 6, "func three() {}\n", false}},
		{"so does one whose end is not found", file, "func one() {\n\treturn 1\n} // one", codePlace{6, 6, "func one() {\n\treturn 1\n} // one\n", false}},
		{"one that begins and ends as the file does is the whole file", file, whole, codePlace{0, 11, whole, true}},
		{"a first line that the file has twice does not say where", "x {\n}\nx {\n}\nend\n1\n2\n3\n", "x {\n1\n}", codePlace{6, 6, "x {\n1\n}\n", false}},
		{"one that ends indented replaces what is indented", python, "def one():\n    return 2\n", codePlace{0, 4, "def one():\n    return 2\n", true}},
		{"an empty file becomes the block", "\n", "a\n", codePlace{0, 1, "a\n", true}},
	} {
		if got := placeCode(codeLines(c.file), codeLines(c.block), 6); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// The lines around a block stay as they are, whatever ends them.
func TestCodeLeavesOtherLinesAlone(t *testing.T) {
	for _, c := range []struct {
		name, text, code, want string
		cursor                 int
	}{
		{"other ends of lines", "a\r\nb {\r\n}\r\nc\n", "b {\n1\n}", "a\r\nb {\n1\n}\nc\n", 0},
		{"the cursor elsewhere", "a\nb", "c", "a\nb\nc\n", -1},
		{"the cursor in the file", "a\nb\n", "c", "a\nc\nb\n", 1},
		{"no text", "", "c", "c\n", -1},
	} {
		if got := withCode(c.text, c.code, c.cursor); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
