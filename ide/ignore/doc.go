// Package ignore says which files of a folder are not looked at: git's rules,
// with git's meaning in every corner, and on top of them those of
// .geminiignore, .emendoignore and files that the settings name. It knows
// nothing of walking and reads nothing but files of rules.
//
// Left out, and told so in the documentation: core.excludesFile is not looked
// up, a caller gives its text as [Options].Global; info/exclude is read where
// .git is a folder, not in a linked worktree; letters' case always counts.
package ignore
