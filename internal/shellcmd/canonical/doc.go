// Package canonical parses command lines and prints them again in one form, which
// bash can read in one way only. It does not know what the words mean.
package canonical
