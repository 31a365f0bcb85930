// Package checkpoint stores what turns change, so that it can be reverted: for
// every change, in order, the content of the file before and after it. It finds
// out what a command changed by comparing the folders before and after, with
// git's help in a repository, and reverts a change in a file that was changed
// further since by a merge. It knows nothing of conversations, editors or models;
// package rewind puts a rewind together from these pieces.
//
// Each content is stored once under the hash of its bytes, in folders and files
// that only the user can read.
package checkpoint
