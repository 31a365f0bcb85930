// Package turnmodel chooses the models of a turn, for its steps and for auxiliary
// requests, and counts what they cost. It does not know what they are asked.
package turnmodel
