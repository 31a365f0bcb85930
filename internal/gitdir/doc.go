// Package gitdir reads the directories in which git keeps a repository: what in
// them configures git or makes it run something, and what an index lists. It
// does not run or change anything, and it does not trust what it reads.
package gitdir
