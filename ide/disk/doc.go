// Package disk reads and writes files inside the folders of a workspace and
// nowhere else: every access goes through an [os.Root] that was opened at the
// start, so no link and no race leads outside. A [Path] is where a name leads
// once its links are followed; to reach it, no link is followed again, so what
// was checked is what is opened.
//
// It keeps every byte that it is not asked to change: encoding, byte order
// mark, line ends, mode, owner, links. It knows nothing of editors or models.
// Extended attributes and access control lists of a replaced file are not
// kept.
package disk
