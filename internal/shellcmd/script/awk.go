package script

import (
	"strings"
)

// ReadAwk returns what a program of awk may do: only print, read or write other
// files, or run programs. In a statement that prints, a > outside of brackets
// writes a file; everywhere else it compares.
func ReadAwk(s string) Effect {
	most := Prints
	var printing []int // bracket depth of each statement that prints
	var clauses []bool // for each open bracket, whether it belongs to if, while or for
	depth, value, clause := 0, false, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if strings.IndexByte(";\n}", c) >= 0 {
			for len(printing) > 0 && printing[len(printing)-1] >= depth {
				printing = printing[:len(printing)-1]
			}
		}
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			continue
		case c == '#':
			for i+1 < len(s) && s[i+1] != '\n' {
				i++
			}
			continue
		case c == '"' || c == '/' && !value:
			end := awkText(s, i)
			if end < 0 {
				return Runs // not understood
			}
			i, value = end, true
			continue
		case c == '\\' && i+1 < len(s) && s[i+1] == '\n':
			i++
			continue
		case awkName(c):
			from := i
			for i+1 < len(s) && (awkName(s[i+1]) || '0' <= s[i+1] && s[i+1] <= '9') {
				i++
			}
			value = true
			switch name := s[from : i+1]; name {
			case "system":
				return Runs
			case "print", "printf":
				printing, value = append(printing, depth), false
			case "getline", "ARGV", "ARGC":
				most = max(most, Writes)
			case "return", "in", "case", "else", "do", "exit":
				value = false
			case "if", "while", "for":
				clause = true
				continue
			}
			clause = false
			continue
		case c == '@' || c == '`':
			return Runs // it loads a library, or calls a function by a computed name
		case c == '|':
			if i+1 >= len(s) || s[i+1] != '|' {
				return Runs
			}
			i++
		case c == '>' && len(printing) > 0 && printing[len(printing)-1] == depth:
			most = max(most, Writes)
		case c == '(' || c == '[':
			clauses = append(clauses, clause)
			depth++
		case (c == ')' || c == ']') && depth == 0:
			return Runs
		case c == ')' || c == ']':
			depth--
			if clause, clauses = clauses[depth], clauses[:depth]; clause { // a statement follows
				value, clause = false, false
				continue
			}
		}
		clause = false
		value = c == ')' || c == ']' || '0' <= c && c <= '9' || c == '.' ||
			(c == '+' || c == '-') && i > 0 && s[i-1] == c && value // x++ / 2
	}
	return most
}

func awkName(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// awkText returns where the string or the expression that begins at i ends; -1
// if it does not, or if versions of awk disagree.
func awkText(s string, i int) int {
	quote, class := s[i], false
	for i++; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '\n':
			return -1
		case quote == '/' && s[i] == '[' && !class:
			class = true
		case quote == '/' && s[i] == ']' && class:
			class = false
		case s[i] == quote:
			if class {
				return -1
			}
			return i
		}
	}
	return -1
}
