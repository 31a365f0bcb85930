// Package redact removes secrets from everything that leaves the process other than
// a request's own header: logs, errors, notices, stored sessions, results of tools.
// There are two kinds. Known secrets, first of all the keys of this process, are
// removed everywhere and in every encoding. Texts that look like a secret, by their
// form or by the name before them, are removed only from what emendo itself writes;
// in the user's files and in the output of programs they are data.
//
// The package does not know where secrets come from or who writes.
package redact
