// Package terminal renders the output of programs as the text that they leave on
// a terminal, and keeps the beginning and the end of it. It does not know what
// runs, nor who reads the text.
package terminal
