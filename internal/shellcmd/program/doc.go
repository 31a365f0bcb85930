// Package program knows what programs do with their words: which options and
// operands they have, what these make them read, write, delete, send or run, and
// how many words of a call a rule must name to cover it. A table says it for each
// program. It does not read the syntax around a call.
package program
