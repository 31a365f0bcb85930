// Package house holds the rules of the house that a compiler and a linter do
// not check: which area may import which, how long a file may be, what docs
// must say. They are tests, and the package has no other content. It knows
// nothing of what the program does.
package house
