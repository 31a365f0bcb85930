package main

import (
	"strings"
	"unicode"
)

// printable leaves out what would steer a terminal: control characters but
// line ends and tabs, and marks that turn the direction of text. What a model,
// a file or a folder's name says cannot act on the user's screen.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
}
