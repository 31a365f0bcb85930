// Package shellcmd analyzes command lines: which programs one would run, what
// these would read, write, delete and send, and how the line is printed in a
// form that a shell can read in one way only. It does not run commands and does
// not know what is allowed.
//
// [Analyze] takes a line apart into parts ([Part]). The table of its program
// decides how many words of a part a rule must name to cover it; a part that
// cannot be analyzed for certain is covered by no rule. The analysis decides
// when to ask. It is not a security boundary.
package shellcmd
