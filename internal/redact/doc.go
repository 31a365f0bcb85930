// Package redact takes secrets out of what leaves the process by another way
// than a request's own header: logs, errors, notices, records of sessions,
// results of tools. It knows two kinds. Values that are known to be secret, the
// keys of this process first of all, are found in every encoding in which they
// travel, wherever they stand. Texts that look like a secret, by their form or
// by the name before them, are found in what emendo says of itself; in the
// user's files and in what programs print they are data, and stay.
//
// It does not know where the secrets come from, nor who writes.
package redact
