package script

import (
	"strings"
)

// An Effect describes what a script in a language of its own may do.
type Effect int

// The effects, from the least.
const (
	Prints Effect = iota // it only reads its input and prints
	Writes               // it reads or writes other files
	Runs                 // it runs programs, or is not understood
)

// ReadSed returns what a script of sed may do.
func ReadSed(s string) Effect {
	most := Prints
	for {
		s = strings.TrimLeft(s, " \t\n;{}")
		if s == "" {
			return most
		}
		var ok bool
		if s, ok = sedAddress(s); !ok {
			return Runs
		}
		s = strings.TrimLeft(s, " \t!")
		if s == "" {
			return Runs
		}
		verb := s[0]
		s = s[1:]
		switch {
		case strings.IndexByte("{}=dDgGhHnNpPxlqQ#", verb) >= 0:
			if verb == '#' {
				_, s, _ = strings.Cut(s, "\n")
			}
			if verb == 'q' || verb == 'Q' || verb == 'l' {
				s = strings.TrimLeft(s, " 0123456789")
			}
		case strings.IndexByte(":btT", verb) >= 0: // GNU sed reads another command after a label and a blank
			s = strings.TrimLeft(strings.TrimLeft(s, " \t"), labelled)
		case verb == 's' || verb == 'y':
			if s, ok = sedDelimited(s, 2); !ok {
				return Runs
			}
			rest := strings.TrimLeft(s, "gpiIM0123456789")
			if verb == 'y' {
				rest = s
			}
			if s = rest; verb == 's' && strings.HasPrefix(s, "w") {
				most = max(most, Writes)
				_, s, _ = strings.Cut(s, "\n") // the rest of the line is a file name
				continue
			} else if s != "" && strings.IndexByte(" \t\n;}", s[0]) < 0 {
				return Runs // e among the flags
			}
		case strings.IndexByte("rRwW", verb) >= 0:
			most = max(most, Writes)
			_, s, _ = strings.Cut(s, "\n")
			continue
		case strings.IndexByte("aic", verb) >= 0:
			most = max(most, Writes) // it may print anything, so a rule has to name it
			s = sedText(s)
			continue
		default: // e, and unknown commands
			return Runs
		}
		if s != "" && strings.IndexByte(" \t\n;{}#", s[0]) < 0 && verb != '{' {
			return Runs
		}
	}
}

// sedText skips the text of a, i or c, which ends at a newline without a
// backslash before it.
func sedText(s string) string {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\n':
			return s[i+1:]
		}
	}
	return ""
}

// labelled holds the characters at which no version of sed ends a label.
const labelled = "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// sedAddress skips the address of a command.
func sedAddress(s string) (rest string, ok bool) {
	for n := 0; ; n++ {
		switch {
		case s == "":
			return s, n == 0
		case s[0] == '/':
			if s, ok = sedDelimited(s, 1); !ok {
				return s, false
			}
			s = strings.TrimLeft(s, "IM")
		case s[0] == '\\' && len(s) > 1:
			if s, ok = sedDelimited(s[1:], 1); !ok {
				return s, false
			}
			s = strings.TrimLeft(s, "IM")
		default:
			s = strings.TrimLeft(s, "0123456789$~+")
		}
		s = strings.TrimLeft(s, " \t")
		if !strings.HasPrefix(s, ",") || n > 0 {
			return s, true
		}
		s = strings.TrimLeft(s[1:], " \t")
	}
}

// sedDelimited skips n texts that end at the character they begin with.
func sedDelimited(s string, n int) (rest string, ok bool) {
	if s == "" || s[0] == '\n' || s[0] == '\\' || s[0] >= 0x80 {
		return s, false
	}
	delimiter, class := s[0], false
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '[' && !class:
			class = true
		case s[i] == ']' && class:
			class = false
		case s[i] == delimiter:
			if class { // versions of sed disagree
				return s, false
			}
			if n--; n == 0 {
				return s[i+1:], true
			}
		}
	}
	return s, false
}
