// Package ignore says which files of a folder are not looked at: git's rules,
// with git's meaning in every corner, and on top of them those of
// .geminiignore, .emendoignore and files that the settings name. It knows
// nothing of walking and reads nothing but files of rules.
//
// Left out, and told so in the documentation: core.excludesFile counts as the
// user's own configuration names it ([UserExcludes], whose text a caller gives as
// [Options].Global), not as a repository's does; info/exclude is read where
// .git is a folder, not in a linked worktree; letters' case always counts.
package ignore
