// Package bench measures emendo and keeps it fast: `make bench` prints a table
// of figures, each beside its budget and beside its floor, which is what the
// least program that does the same needs in the same run. Its tests hold the
// program to working whole under load. It starts the built program as an editor
// does and has no other content; it knows nothing of how the program works.
package bench
