package program

import (
	"regexp"
	"strings"
	"sync"
)

// An effect describes what a script in a language of its own may do.
type effect int

// The effects, from the least.
const (
	prints effect = iota // it only reads its input and prints
	writes               // it reads or writes other files
	runs                 // it runs programs, or is not understood
)

// sedScript matches the usual scripts of sed. The groups match what reads or writes other
// files, or prints any text. A bracket expression with the delimiter in it is left out, since
// versions of sed disagree about it.
var sedScript = sync.OnceValue(func() *regexp.Regexp {
	var substitutions []string
	for _, d := range []string{"/", `\|`, "#", ",", "@", ":"} {
		each := `[sy]/(?:[^/\\\n\[]|\\[^\n]|\[\^?\]?[^\]/\\\n]*\])*/(?:[^/\\\n]|\\[^\n])*/`
		substitutions = append(substitutions, strings.ReplaceAll(each, "/", d))
	}
	at := `(?:[0-9$~+]+|/(?:[^/\\\n\[]|\\[^\n]|\[\^?\]?[^\]/\\\n]*\])*/[IM]*)`
	verb := `[=dDgGhHnNpPxz]|[lqQ] *[0-9]*|[:btT][ \t]*[A-Za-z0-9_]*|([aicrRwW][^\n]*)|(?:` + strings.Join(substitutions, "|") + `)[gpiImM0-9]*(w[^\n]*)?`
	return regexp.MustCompile(`^(?:[ \t\n;}]*(?:` + at + `(?:[ \t]*,[ \t]*` + at + `)?)?[ \t!]*(?:\{|(?:` + verb + `)[ \t]*(?:[;\n}]|$)))*[ \t\n;}]*$`)
})

// sedEffect returns what a script of sed may do.
func sedEffect(s string) effect {
	m := sedScript().FindStringSubmatch(s)
	switch {
	case m == nil:
		return runs
	case m[1]+m[2] != "":
		return writes
	}
	return prints
}

// What runs something, and what reads or writes other files, in a program of awk. What stands
// in its texts and expressions counts too.
var (
	awkRuns = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?s)system|getline|[@`]|\\\\\n|print.*[^|]\\|(?:[^|]|$)")
	})
	awkWrites = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)ARGV|ARGC|print.*>`)
	})
)

// awkEffect returns what a program of awk may do.
func awkEffect(s string) effect {
	switch {
	case awkRuns().MatchString(s):
		return runs
	case awkWrites().MatchString(s):
		return writes
	}
	return prints
}
