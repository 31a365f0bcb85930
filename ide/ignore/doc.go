// Package ignore decides which files of a folder are ignored. It applies git's
// rules exactly as git does, and on top of them those of .geminiignore,
// .emendoignore and files named in the settings. It knows nothing of walking and
// reads only ignore files.
//
// It differs from git, as documented, in that core.excludesFile is only read from
// the user's configuration ([UserExcludes], which the caller passes as
// [Options].Global), info/exclude is only read if .git is a folder, and matching is
// always case-sensitive.
package ignore
