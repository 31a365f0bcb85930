// Package turnmodel chooses the models that answer in a turn: in its steps, and in
// requests beside them. It counts what they cost. It does not know what they are
// asked.
package turnmodel
