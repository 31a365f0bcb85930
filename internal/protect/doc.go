// Package protect knows which files decide what may run: they are kept from
// the edits of a model and from the commands it runs, whatever the mode. It
// goes by names, in every spelling that some file system takes for the same
// name, and by what lies on the disk; it knows nothing of who asks or of what
// is decided.
package protect
