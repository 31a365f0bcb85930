//go:build editors

package record

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// position, span and textEdit are LSP's.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

// contentChange is LSP's; without a range the text is the whole document.
type contentChange struct {
	Range       *span  `json:"range,omitempty"`
	RangeLength *int   `json:"rangeLength,omitempty"`
	Text        string `json:"text"`
}

// startOf returns the start of a line, or the end of the text when it has
// fewer lines.
func startOf(text string, line int, encoding string) position {
	lines := strings.SplitAfter(text, "\n") // the last one has no line end, and may be empty
	if line < len(lines) {
		return position{line, 0}
	}
	return position{len(lines) - 1, width(lines[len(lines)-1], encoding)}
}

// width counts a text in the units of an encoding of positions.
func width(s, encoding string) int {
	switch encoding {
	case "utf-8":
		return len(s)
	case "utf-32":
		return utf8.RuneCountInString(s)
	}
	return len(utf16.Encode([]rune(s)))
}

// offset returns where a position is in the text. One behind the end of its
// line means that end, and one behind the last line the end of the text.
func offset(text string, p position, encoding string) int {
	at := 0
	for range p.Line {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	line := text[at:]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = strings.TrimSuffix(line[:i], "\r")
	}
	units := 0
	for i, r := range line {
		if units >= p.Character {
			return at + i
		}
		units += width(string(r), encoding)
	}
	return at + len(line)
}

// changed applies what one didChange says.
func changed(text string, changes []contentChange, encoding string) (string, error) {
	for _, c := range changes {
		if c.Range == nil {
			text = c.Text
			continue
		}
		a, b := offset(text, c.Range.Start, encoding), offset(text, c.Range.End, encoding)
		if a > b {
			return "", fmt.Errorf("the range %v ends before it starts", *c.Range)
		}
		text = text[:a] + c.Text + text[b:]
	}
	return text, nil
}
