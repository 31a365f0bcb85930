// Package linux confines commands on Linux: at level A in namespaces of their own, made
// by emendo itself or by bubblewrap, and at level B by Landlock; at both by a system
// call filter.
//
// The parent process describes the confinement; the command's supervisor applies it, by
// [Confine], before it starts the command.
package linux
