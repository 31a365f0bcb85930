package present

import "strings"

// wholeFile is the share of a file's lines, in percent, above which a block that begins and
// ends as the file does is the whole file.
const wholeFile = 60

// codePlace is where a block of code belongs in a file: the lines that it replaces, zero-based
// without the end, and its text.
type codePlace struct {
	start, end int
	text       string
	found      bool // else it goes before a line
}

// placeCode finds the lines that a block is a new version of: from the only line that equals
// the block's first one, indented alike or more, to the next that equals its last, or as far
// as lines are indented more if the block ends in such a one. A block that is found nowhere
// goes before the line at the cursor. The block is not blank.
func placeCode(lines, block []string, cursor int) codePlace {
	wanted, filled := withoutBlank(block), withoutBlank(lines)
	first, last := wanted[0], wanted[len(wanted)-1]
	if len(filled) == 0 || filled[0] == first && filled[len(filled)-1] == last && len(wanted)*100 >= len(filled)*wholeFile {
		return codePlace{0, len(lines), indentedText(wanted, ""), true}
	}
	start := -1
	for at, line := range lines {
		if strings.TrimSpace(line) != strings.TrimSpace(first) {
			continue
		}
		if start >= 0 {
			start = -1
			break
		}
		start = at
	}
	if start >= 0 {
		there := indentOf(lines[start])
		more := there[:max(0, len(there)-len(indentOf(first)))]
		var end int
		if len(indentOf(last)) > len(indentOf(first)) {
			end = endOfIndented(lines, start)
		} else {
			end = endAt(lines, start, more+strings.TrimRight(last, " \t"))
		}
		if end >= 0 {
			return codePlace{start, end, indentedText(wanted, more), true}
		}
	}
	return codePlace{cursor, cursor, indentedText(wanted, ""), false}
}

// endAt returns where a passage ends whose last line closes it; -1: nowhere.
func endAt(lines []string, start int, last string) int {
	for at := start + 1; at < len(lines); at++ {
		if strings.TrimRight(lines[at], " \t") == last {
			return at + 1
		}
	}
	return -1
}

// endOfIndented returns where a passage ends that is as long as its lines are indented more
// than the first; -1 if none is.
func endOfIndented(lines []string, start int) int {
	end := -1
	for at := start + 1; at < len(lines); at++ {
		switch {
		case strings.TrimSpace(lines[at]) == "":
		case len(indentOf(lines[at])) > len(indentOf(lines[start])):
			end = at + 1
		default:
			return end
		}
	}
	return end
}

// withoutBlank leaves out blank lines at the start and at the end.
func withoutBlank(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func indentOf(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// indentedText joins lines to a text, with more before each line that is not empty.
func indentedText(lines []string, more string) string {
	var b strings.Builder
	for _, line := range lines {
		if line != "" {
			b.WriteString(more + line)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// codeLines returns the lines of a text without their ends.
func codeLines(text string) []string {
	l := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if l[len(l)-1] == "" {
		l = l[:len(l)-1]
	}
	return l
}
