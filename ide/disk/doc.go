// Package disk reads and writes files inside the folders of a workspace and
// nowhere else. Every access goes through an [os.Root] that was opened at the
// start, so that no link and no race leads outside. A [Path] is a name with its
// links resolved. No link is followed when it is opened, so what was checked is
// what is opened.
//
// It preserves everything that it is not asked to change: encoding, byte order
// mark, line ends, mode, owner, links and, on Linux and macOS, extended attributes. It
// knows nothing of editors or models.
package disk
