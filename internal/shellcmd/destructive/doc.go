// Package destructive recognises calls of programs that destroy what cannot be
// restored, to warn the user. It is no complete list.
package destructive
