// Package match finds the passage of a text that a model meant when it quoted
// it, and merges the change that it asked for into the text's own lines. What
// a model quotes is the true text, garbled: white space, quotes, a reader's
// line numbers, a letter. Such garbling is seen through; a number, an operator
// or a name that differs is another text, and is refused with the nearest
// passage. The package works on strings alone: it knows neither files nor
// tools.
package match
