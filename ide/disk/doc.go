// Package disk reads and writes files inside the folders of a workspace and
// nowhere else: every access goes through an [os.Root] that was opened at the
// start, so no link and no race leads outside. It keeps every byte that it is
// not asked to change: encoding, byte order mark, line ends, mode, links. It
// knows nothing of editors or models.
package disk
