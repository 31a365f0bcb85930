// Package gitdir reads the folders in which git keeps a repository: what in them
// configures git or makes it run something, and what an index lists. It starts
// nothing and changes nothing, and it does not trust what it reads.
package gitdir
