// Package protect knows which files decide what may run, so that neither the
// model's edits nor its commands change them. It recognises them by name, in
// every spelling that some file system takes for the same name, and by what is
// on the disk. It does not decide anything and does not know who asks.
package protect
