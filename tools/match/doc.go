// Package match finds the passage of a text that a model quoted, and merges the
// requested change into it. Models garble what they quote: white space, quotes,
// line numbers of a reader, single letters. The package recognises a passage
// despite that. A number, an operator or a name that differs makes it a different
// text, which is refused with the nearest passage. The package works on strings
// alone; it knows neither files nor tools.
package match
