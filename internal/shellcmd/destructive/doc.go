// Package destructive recognises calls of programs that destroy what cannot be
// restored, so that the user can be warned. It does not recognise all of them.
package destructive
