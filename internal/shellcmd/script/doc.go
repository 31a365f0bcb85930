// Package script reads the programs of sed and awk as far as needed to tell
// whether they only print. It does not run anything.
package script
