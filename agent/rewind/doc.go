// Package rewind reverts the files of a session to what they were before a turn,
// over package checkpoint, which stores what turns changed. A [Rewinder] belongs
// to a session: it records what decisions and commands change, plans a rewind
// from that, and carries it out on disk and in the editor as one act that can be
// undone. What the user changed since stays in the files.
//
// It knows the conversation only as turn IDs; the session itself forgets turns.
package rewind
