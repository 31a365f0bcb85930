// Package checkpoint keeps what turns change, so that it can be taken back: for
// every change the content of the file without it and with it, in order. It
// finds out what a command changed by looking at the folders before and after,
// with git's help where there is a repository, and merges a change out of a
// file that was changed further since. It knows nothing of sessions' contents,
// of editors or of models.
//
// Contents are stored once each under the hash of their bytes, in folders and
// files that only the user can read.
package checkpoint
