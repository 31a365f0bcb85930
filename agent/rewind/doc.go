// Package rewind stores what the turns of a session change, and reverts it. A [Store] holds,
// for every change, in order, the content of the file before and after it; each content is
// stored once under the hash of its bytes, in folders and files that only the user can read. A
// [Rewinder] belongs to a session: it records what decisions change, and what commands change,
// which a [Watch] finds by comparing the folders before and after, with git's help in a
// repository. It plans a rewind from that, and carries it out on disk and in the editor as one
// act that can be undone. What the user changed since stays in the files, by a merge.
//
// It knows the conversation only as turn IDs; the session itself forgets turns.
package rewind
