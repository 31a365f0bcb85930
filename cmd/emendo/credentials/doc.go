// Package credentials keeps the keys and logins that the user gave to emendo: in the
// keyring of the system, or in a file that only the user can read. It does not know what
// they are for.
//
// A keyring may hang, ask the user for a password or start programs, so it is asked as
// late as possible, once for each secret, and within a time limit; and only for what was
// stored in it, which the file says.
package credentials
